import { STATUS_CODES } from 'node:http'
import type { Reply } from './reply.ts'

/** The console in front of the application answers in an envelope of its own. */
export function gatewayError(status: number): Reply {
  return { status, json: { error: { code: status, message: STATUS_CODES[status] ?? 'Unknown' } } }
}
