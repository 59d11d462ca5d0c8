import { randomBytes } from 'node:crypto'
import type { Reply } from '../http/reply.ts'
import { statusName, statusText } from '../http/status-name.ts'

/** The cloud connector answers in an envelope of its own. */
export function connectorError(status: number): Reply {
  const { code, message } = words(status)
  const traceId = randomBytes(16).toString('hex')
  return { status, json: { code, httpStatusCode: status, message, traceId } }
}

function words(status: number): { code: string; message: string } {
  if (status === 429) return { code: 'RATE_LIMIT', message: 'rate limit exceeded' }
  return { code: statusName(status), message: statusText(status).toLowerCase() }
}
