import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openapiDocument } from '../src/http/v2/openapi-document.ts'
import { operations } from '../src/http/v2/operations.ts'
import type { Answer } from './http-client.ts'

const document = openapiDocument(operations)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv as any)
ajv.addSchema({ $id: 'v2', ...document })

/** Every answer of API v2 has a documented status and body; what is no operation fails in the one shape of problems. */
export function checkAgainstV2(method: string, path: string, answer: Answer): void {
  const { status, headers, text } = answer
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  if (status === 304) {
    expect([text, headers.etag, headers['content-length']]).toEqual(['', expect.any(String), undefined])
    return
  }
  expect(headers['cache-control']).toBe(method === 'GET' && status === 200 ? 'private, no-cache' : 'no-store')
  if (method === 'HEAD') return
  const name = operationPath(new URL(path, 'http://localhost').pathname.slice('/api/v2'.length))
  if (name === '/openapi.json') return
  const documented = (document.paths as any)[name ?? '']?.[method.toLowerCase()]
  if (documented !== undefined) expect(documented.responses).toHaveProperty(String(status))
  const csv = documented?.responses[status]?.content['text/csv']
  expect(headers['content-type']).toBe(`${csv ? 'text/csv' : 'application/json'}; charset=utf-8`)
  if (csv) return
  const pointer =
    documented === undefined || status === 405
      ? '/components/schemas/Problem'
      : `/paths/${escaped(name as string)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
  const valid = ajv.validate({ $ref: `v2#${pointer}` }, answer.json())
  expect(valid ? [] : ajv.errors, text).toEqual([])
  if (status >= 400) expect(answer.json().request_id).toBe(headers['x-request-id'])
}

function operationPath(path: string): string | undefined {
  const names = ['/openapi.json', ...Object.keys(document.paths)]
  return names.find((name) => name === path) ?? names.find((name) => matcher(name).test(path))
}

function matcher(name: string): RegExp {
  return new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('/', '~1'))
}
