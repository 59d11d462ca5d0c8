import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '#domain/errors.ts'
import { isObject, readJson } from '../../server/read-request.ts'
import { V2Error } from './problems.ts'

/** Parses every body as JSON, whatever its Content-Type says. An empty body counts as none: some clients send it with DELETE. */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
    if (bytes.length === 0) return undefined
    try {
      return readJson(bytes)
    } catch (cause) {
      throw new DomainError('request_unreadable', { cause })
    }
  })
}

/** Checks bodies strictly by a schema: no value is converted and no field is dropped. The error names the first wrong field. */
export function createBodyCheck(schema: TObject): (body: unknown) => void {
  const compiled = Compile(schema)
  return (body) => {
    if (compiled.Check(body)) return
    if (!isObject(body)) throw new DomainError('request_unreadable')
    const errors = compiled.Errors(body)
    for (const { keyword, instancePath, params } of errors) {
      const path = instancePath.split('/').slice(1)
      if (keyword === 'additionalProperties')
        throw new V2Error('parameter_unknown', fieldName([...path, ...firstOf(params, 'additionalProperties')]))
      if (keyword === 'required')
        throw new V2Error('parameter_invalid', fieldName([...path, ...firstOf(params, 'requiredProperties')]))
    }
    throw new V2Error('parameter_invalid', fieldName(errors[0]?.instancePath.split('/').slice(1) ?? []))
  }
}

function firstOf(params: object, name: string): string[] {
  const names = (params as Record<string, string[] | undefined>)[name] ?? []
  return names.slice(0, 1)
}

/** The name of a field for an error message, such as `qos.down_kbps`. Names that are no identifiers are not repeated. */
export function fieldName(path: string[]): string {
  const name = path.join('.')
  return /^[\w.]{1,60}$/.test(name) ? name : '?'
}

/** Rejects numbers that are not decimal digits. Fastify's validator would also accept `0x5`, ` 5`, `5.0` and `1e400`. */
export function checkQueryNumbers(schema: TObject, query: Record<string, string | string[]>): void {
  for (const [name, parameter] of Object.entries(schema.properties as Record<string, NumberOrNumbers>)) {
    if (parameter.type !== 'integer' && parameter.items?.type !== 'integer') continue
    const isInvalid = [query[name] ?? []].flat().some((text) => !/^-?\d{1,15}$/.test(text))
    if (isInvalid) throw new V2Error('parameter_invalid', name)
  }
}

type NumberOrNumbers = { type?: string; items?: { type?: string } }
