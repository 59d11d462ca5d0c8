import type { FastifyReply, FastifyRequest } from 'fastify'

/** How the browser's connection is protected. `local` is this machine itself. */
export type Transport = 'encrypted' | 'local' | 'unencrypted_allowed' | 'unencrypted_refused'

/** Browsers send a cookie with this prefix only over TLS and only to this host, and no other host can set it. */
const securePrefix = '__Host-'

/** Browsers reject the prefix over plain HTTP; Safari rejects it on localhost too. */
function fullName(transport: Transport, name: string): string {
  return transport === 'encrypted' ? securePrefix + name : name
}

/** Sets a cookie that scripts cannot read. Without a value, it deletes the cookie. */
export function setCookie(
  reply: FastifyReply,
  transport: Transport,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
): void {
  const age = value === '' ? 0 : maxAge
  const secure = transport === 'encrypted' ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${fullName(transport, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`,
  )
}

/** The value of a cookie of `setCookie`. Over TLS, a cookie without the prefix is ignored, because another host could have set it. */
export function sentCookie(request: FastifyRequest, transport: Transport, name: string): string | undefined {
  return cookieOf(request, fullName(transport, name))
}

/** The value of a cookie; undefined if it is missing or empty. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined
}
