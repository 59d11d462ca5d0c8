import type { Reply } from '../http/reply.ts'

/** What the caller gets: a reply, a closed connection, silence, or 64 MiB that begin with `hugeAfter`. */
export type Outcome = Reply | 'reset' | 'hang' | { hugeAfter: string }

/** An outcome and how it reaches the caller; `delayMs` passes before it, or with `drip` before each byte of a body. */
export type Performance = { outcome: Outcome; delayMs?: number; drip?: boolean; gzip?: boolean }
