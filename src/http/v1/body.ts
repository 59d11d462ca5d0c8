import type { FastifyInstance } from 'fastify'
import { isObject, readJson } from '../json-body.ts'

/** The body as an object, whatever its Content-Type says; what cannot be read as one is an empty object. */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  try {
    const value = readJson(bytes, { dropsProto: true })
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => parseBody(body))
}
