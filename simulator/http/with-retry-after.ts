import type { Reply } from './reply.ts'

export function withRetryAfter(reply: Reply, seconds: number): Reply {
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } }
}
