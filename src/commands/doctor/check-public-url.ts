import { connect } from 'node:tls'
import type { Config } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('public url')

const timeoutMs = 5_000
const dayMs = 86_400_000
const renewWithinDays = 14

type UrlSettings = Pick<Config, 'publicUrl' | 'listenAddress' | 'basePath' | 'trustedProxies'>

/** Opens PUBLIC_URL as a browser does, and asks the service how the request arrived there. */
export async function checkPublicUrl({ publicUrl, listenAddress, ...settings }: UrlSettings): Promise<Finding[]> {
  if (publicUrl === undefined) {
    if (isLoopback(listenAddress))
      return [ok('PUBLIC_URL is not set; the service can be reached from this machine only.')]
    const fix = 'Put a proxy with TLS in front of it, and set PUBLIC_URL to its address.'
    return [warning(`The service listens on ${listenAddress}, but PUBLIC_URL is not set.`, fix)]
  }
  const health = await ask(`${publicUrl}/healthz`)
  if ('failure' in health) return [describeFailure(publicUrl, health.failure)]
  if ((health.json as { status?: unknown } | undefined)?.status !== 'ok')
    return [
      problem(
        `Something other than this service answers at ${publicUrl} (status ${health.status}).`,
        'Correct PUBLIC_URL, or let the proxy forward the whole address to this service.',
      ),
    ]
  const document = await ask(`${publicUrl}${settings.basePath}/openapi.php`)
  const [server] = ('json' in document && (document.json as { servers?: { url: string }[] })?.servers) || []
  return [
    judgeOrigin(publicUrl, server && URL.canParse(server.url) ? new URL(server.url).origin : undefined, settings),
    ...(await checkCertificate(publicUrl)),
  ]
}

type Reply = { status: number; json: unknown } | { failure: string }

async function ask(url: string): Promise<Reply> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    return { status: answer.status, json: await answer.json().catch(() => undefined) }
  } catch (error) {
    const { cause = error } = error as { cause?: unknown }
    const { code, name } = cause as NodeJS.ErrnoException
    return { failure: code ?? name }
  }
}

function describeFailure(publicUrl: string, failure: string): Finding {
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(failure))
    return problem(
      `Browsers do not trust the certificate of ${publicUrl} (${failure}).`,
      'Let the proxy get a certificate for this name from a public certificate authority, e.g. with Caddy or certbot.',
    )
  if (failure === 'ENOTFOUND' || failure === 'EAI_AGAIN')
    return problem(
      `The name in ${publicUrl} has no address (${failure}).`,
      'Correct PUBLIC_URL, or add the name to DNS.',
    )
  return problem(
    `Nothing answers at ${publicUrl} (${failure}).`,
    'Start the service and the proxy in front of it, or correct PUBLIC_URL.',
  )
}

/** `seen` is the origin that the service sees in a request to PUBLIC_URL, after the proxy. */
export function judgeOrigin(
  publicUrl: string,
  seen: string | undefined,
  { trustedProxies }: Pick<UrlSettings, 'trustedProxies'>,
): Finding {
  if (seen === publicUrl && (publicUrl.startsWith('https:') || isLoopback(new URL(publicUrl).hostname)))
    return ok(`${publicUrl} leads to this service.`)
  if (seen === publicUrl)
    return warning(
      `${publicUrl} is not encrypted, so people can sign in there only if ALLOW_HTTP_SIGN_IN is true.`,
      'Put a proxy with TLS in front of the service, and set PUBLIC_URL to its https:// address.',
    )
  if (seen !== undefined && new URL(seen).host === new URL(publicUrl).host)
    return problem(
      `${publicUrl} leads to this service, but the service sees requests without encryption.`,
      trustedProxies.length === 0
        ? 'Set TRUSTED_PROXIES to the address of the proxy, which must send X-Forwarded-Proto.'
        : 'TRUSTED_PROXIES must contain the address of the proxy, which must send X-Forwarded-Proto.',
    )
  return problem(
    `The service sees requests to ${publicUrl} as requests to ${seen ?? 'an unknown address'}.`,
    'Let the proxy pass on the Host header of the browser.',
  )
}

async function checkCertificate(publicUrl: string): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(publicUrl)
  if (protocol !== 'https:') return []
  const validTo = await readValidTo(hostname, Number(port || 443))
  return validTo ? judgeValidity(publicUrl, validTo.getTime() - Date.now()) : []
}

export function judgeValidity(publicUrl: string, leftMs: number): Finding[] {
  const days = Math.floor(leftMs / dayMs)
  if (days >= renewWithinDays) return []
  return [
    warning(
      `The certificate of ${publicUrl} expires in ${days} ${days === 1 ? 'day' : 'days'}.`,
      'Check why the proxy does not renew it: most renew 30 days before the end.',
    ),
  ]
}

/**
 * The end of the certificate; undefined if it cannot be read. An earlier request has already verified the certificate.
 */
function readValidTo(host: string, port: number): Promise<Date | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, timeout: timeoutMs, rejectUnauthorized: false }, () => {
      resolve(new Date(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
    const giveUp = () => {
      resolve(undefined)
      socket.destroy()
    }
    socket.on('error', giveUp)
    socket.on('timeout', giveUp)
  })
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\..*|\[?::1\]?)$/.test(host)
}
