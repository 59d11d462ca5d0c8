import type { Reply } from './reply.ts'
import { statusText } from './status-name.ts'

/** The console in front of the application answers in an envelope of its own. */
export function gatewayError(status: number): Reply {
  return { status, json: { error: { code: status, message: statusText(status) } } }
}
