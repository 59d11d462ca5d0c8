import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { type Operation, operation } from '../v2/kit/operation.ts'
import { operations } from '../v2/register-v2.ts'
import { referencePage } from './reference-page.ts'

const create = operation({
  method: 'POST',
  path: '/things/{id}/parts',
  operationId: 'createPart',
  summary: 'A part of a thing',
  scope: 'write',
  status: 201,
  acceptsIdempotencyKey: true,
  params: Type.Object({ id: Type.String({ examples: ['a b'] }) }),
  body: Type.Object(
    {
      name: Type.String({ examples: ["Ann's"] }),
      until: Type.Optional(Type.String({ format: 'date-time' })),
      rows: Type.Array(Type.Object({ count: Type.Integer({ minimum: 3 }) }), { minItems: 1, maxItems: 9 }),
    },
    { title: 'NewPart', additionalProperties: false },
  ),
  answer: Type.Object({ size: Type.Union([Type.Literal('s'), Type.Integer()]) }),
  handle: async () => ({ size: 1 }),
})
const remove: Operation = { ...create, method: 'DELETE', operationId: 'deletePart' }
delete remove.body
delete remove.acceptsIdempotencyKey
const csv: Operation = { ...remove, method: 'GET', operationId: 'exportParts', csvFileName: () => 'parts.csv' }
const page = referencePage([...operations, create, remove, csv], 'https://vouchers.example')
const partOf = (id: string) => new RegExp(`<section id="${id}">([\\s\\S]*?)</section>`).exec(page)?.[1] as string
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')

test('an operation that creates something: scope, body, Idempotency-Key, its own failures', () => {
  const part = textOf(partOf('createPart'))

  expect(part).toContain('POST /things/{id}/parts')
  expect(part).toContain('A part of a thing. Key with scope write')
  expect(part).toMatch(/In a header\s+Idempotency-Key\s+string, matching/)
  expect(part).toMatch(
    /name required\s+string\s+until\s+string \(date-time\)\s+rows required\s+list \(1 to 9\) of object/,
  )
  expect(part).toMatch(/rows\[\]\.count required\s+integer, at least 3/)
  expect(part).toMatch(/Example of an answer\s*\{\s*"size": 500/)
  expect(part).toMatch(/201 Created\. Headers: Idempotent-Replayed\s+size\s+s or integer/)
  expect(part).toMatch(
    /403 The scope of the key or the role of the person does not include this operation: Problem[\s\S]*409 [\s\S]*413 [\s\S]*422 [\s\S]*as for every operation/,
  )
  expect(textOf(partOf('basics'))).toContain('Idempotent-Replayed: true')
})

test('examples are quoted for a shell and name the method where curl would guess another', () => {
  expect(textOf(partOf('createPart'))).toContain(
    [
      'curl -H "Authorization: Bearer $KEY" \\',
      "  -H 'Idempotency-Key: createPart-1' \\",
      `  -d '{"name":"Ann'\\''s","rows":[{"count":3}]}' \\`,
      '  "$API/things/a%20b/parts"',
    ].join('\n'),
  )
  expect(textOf(partOf('deletePart'))).toContain('-X DELETE \\\n  "$API/things/a%20b/parts"')
  expect(partOf('listSites')).not.toContain('-X')
})

test('an answer that is not JSON is shown with its media type', () => {
  expect(textOf(partOf('exportParts'))).toMatch(/201 Created: text\/csv/)
})

test('a body that is a file is shown with its media types and sent from a file', () => {
  expect(textOf(partOf('updateLogo'))).toContain(
    '-X PUT \\\n  -H \'Content-Type: image/png\' \\\n  --data-binary @logo.png \\\n  "$API/sites/1/logo"',
  )
  expect(textOf(partOf('updateLogo'))).toMatch(/The file: image\/png or image\/jpeg/)
  expect(textOf(partOf('getLogo'))).toMatch(/200 Success: image\/png or image\/jpeg/)
})

test('repeating is not mentioned if no operation creates something', () => {
  const reading = operations.filter((each) => !each.acceptsIdempotencyKey && !each.asksAboutIdempotencyKey)

  expect(referencePage(reading, 'https://vouchers.example')).not.toContain('Idempotent-Replayed')
})
