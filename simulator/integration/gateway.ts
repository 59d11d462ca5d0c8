import { gatewayError } from '../http/gateway-error.ts'
import { htmlPage } from '../http/html-page.ts'
import type { Reply } from '../http/reply.ts'
import { connectorError } from './connector-error.ts'

/** What stands in front of the Integration API and answers in its place. */
export type Gateway = {
  integrationPath: string
  servesClassicApi: boolean
  limitsRequests: boolean
  error(status: number): Reply
  /** The answer while there is no Network Application behind it. */
  away(): Reply
}

const integrationPath = '/proxy/network/integration'

export const consoleGateway: Gateway = {
  integrationPath,
  servesClassicApi: true,
  limitsRequests: false,
  error: gatewayError,
  away: () => htmlPage(502),
}

/** The cloud connector, which reaches one console under a path of its own. */
export function connectorGateway(pathPrefix: string): Gateway {
  return {
    integrationPath: pathPrefix + integrationPath,
    servesClassicApi: false,
    limitsRequests: true,
    error: connectorError,
    away: () => connectorError(502),
  }
}
