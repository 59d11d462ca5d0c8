import type { FastifyInstance } from 'fastify'

/** The body as an object, whatever its Content-Type says; what cannot be read as one is an empty object. */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      readMember,
    )
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** Drops `__proto__`; half a surrogate pair is no text, so the whole body is not. */
function readMember(this: unknown, key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
    throw new SyntaxError('lone surrogate')
  return key === '__proto__' ? undefined : value
}

export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => parseBody(body))
}
