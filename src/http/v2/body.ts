import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '#domain/errors.ts'
import { isObject, readJson } from '../json-body.ts'
import { Refused } from './problems.ts'

/** JSON, whatever the Content-Type says; anything else is refused. Some send an empty body where there is none (DELETE). */
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

/** A check by the schema as it is written: nothing is converted, nothing dropped. The first wrong field is named. */
export function bodyCheck(schema: TObject): (body: unknown) => void {
  const compiled = Compile(schema)
  return (body) => {
    if (compiled.Check(body)) return
    if (!isObject(body)) throw new DomainError('request_unreadable')
    const errors = compiled.Errors(body)
    for (const { keyword, instancePath, params } of errors) {
      const inside = instancePath.split('/').slice(1)
      if (keyword === 'additionalProperties')
        throw new Refused('parameter_unknown', fieldName([...inside, ...firstOf(params, 'additionalProperties')]))
      if (keyword === 'required')
        throw new Refused('parameter_invalid', fieldName([...inside, ...firstOf(params, 'requiredProperties')]))
    }
    throw new Refused('parameter_invalid', fieldName(errors[0]?.instancePath.split('/').slice(1) ?? []))
  }
}

function firstOf(params: object, name: string): string[] {
  const names = (params as Record<string, string[] | undefined>)[name] ?? []
  return names.slice(0, 1)
}

/** `qos.down_kbps`. A name is repeated only if it looks like one. */
export function fieldName(steps: string[]): string {
  const name = steps.join('.')
  return /^[\w.]{1,60}$/.test(name) ? name : '?'
}
