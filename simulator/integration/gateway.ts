import { randomBytes } from 'node:crypto'
import { gatewayError, htmlPage, type Reply, statusName, statusText } from '../http/reply.ts'

/** The program in front of the Integration API: it checks keys and answers when the application cannot. */
export type Gateway = {
  integrationPath: string
  servesClassicApi: boolean
  limitsRequests: boolean
  error(status: number): Reply
  /** The answer while the Network Application does not run. */
  applicationDown(): Reply
}

const integrationPath = '/proxy/network/integration'

export const consoleGateway: Gateway = {
  integrationPath,
  servesClassicApi: true,
  limitsRequests: false,
  error: gatewayError,
  applicationDown: () => htmlPage(502),
}

/** The cloud connector, which forwards requests below its path to one console. */
export function connectorGateway(pathPrefix: string): Gateway {
  return {
    integrationPath: pathPrefix + integrationPath,
    servesClassicApi: false,
    limitsRequests: true,
    error: connectorError,
    applicationDown: () => connectorError(502),
  }
}

/** An error in the envelope of the cloud connector. */
function connectorError(status: number): Reply {
  const isRateLimit = status === 429
  const code = isRateLimit ? 'RATE_LIMIT' : statusName(status)
  const message = isRateLimit ? 'rate limit exceeded' : statusText(status).toLowerCase()
  return { status, json: { code, httpStatusCode: status, message, traceId: randomBytes(16).toString('hex') } }
}
