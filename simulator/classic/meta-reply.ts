import type { Reply } from '../http/reply.ts'

/** The envelope of the classic API. */
export function ok(data: unknown[] = [], meta: object = {}): Reply {
  return { status: 200, json: { meta: { rc: 'ok', ...meta }, data } }
}

export function failure(status: number, msg: string, data: unknown[] = []): Reply {
  return { status, json: { meta: { rc: 'error', msg }, data } }
}
