import { type Static, Type } from 'typebox'
import { type Requester, requireAllSites } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { type CountCall, limitActor } from '#domain/limit-actor.ts'
import {
  importAllSites,
  importSites as importSiteRows,
  type RowOutcome,
  rejectIfAnyRefused,
} from '#domain/sites/import-sites.ts'
import { count, countOrNull, siteNumber, textOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'

const maxBytes = 1024 * 1024
const maxRows = 5_000

const rowSchema = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: 'The last line of the row in the file.' }),
    name: Type.String(),
    outcome: Type.Unsafe<RowOutcome['outcome']>({
      type: 'string',
      enum: ['added', 'exists', 'refused'],
      description: 'In a check, `added` means: would be added.',
    }),
    code: { ...textOrNull, description: 'Why the row is refused, such as controller_not_found; otherwise null.' },
    column: { ...textOrNull, description: 'The column that is wrong, if it is a single one.' },
    value: { ...textOrNull, description: 'The value that is wrong, such as the name of an unknown controller.' },
    other_line: { ...countOrNull, description: 'The line that the row repeats.' },
    site: Type.Union([Type.Object({ id: siteNumber, name: Type.String() }, { title: 'RecordedSite' }), Type.Null()], {
      description: 'The site that is already recorded for this site of the controller, under another name.',
    }),
  },
  { title: 'SiteImportRow' },
)

const importSchema = Type.Object(
  {
    added: count,
    existing: count,
    refused: count,
    rows: Type.Array(rowSchema),
  },
  { title: 'SiteImport' },
)

const upload = { types: ['text/csv'], maxBytes, tooLarge: 'csv_too_large' } as const

export const importSites = operation({
  method: 'POST',
  path: '/sites/import',
  operationId: 'importSites',
  summary:
    'Add the sites of a CSV file with the columns name, controller, controller_site and optionally active and adopt: all of them or none',
  scope: 'manage',
  role: 'admin',
  status: 200,
  conflict: 'Some rows cannot be added, so no row was added. `POST /sites/import/check` says why',
  upload,
  answer: importSchema,
  async handle(ctx, { actor, body }) {
    const { rows, refused } = await readRows(ctx.limiter, actor, body)
    rejectIfAnyRefused(refused)
    return toWire(await importAllSites(ctx, actor, rows))
  },
})

export const checkSiteImport = operation({
  method: 'POST',
  path: '/sites/import/check',
  operationId: 'checkSiteImport',
  summary: 'Check what an import of this CSV file would add, and what is wrong in which line. Writes nothing',
  scope: 'manage',
  role: 'admin',
  status: 200,
  upload,
  answer: importSchema,
  async handle(ctx, { actor, body }) {
    const { rows, refused } = await readRows(ctx.limiter, actor, body)
    return toWire([...refused, ...(await importSiteRows(ctx, actor, rows, { dryRun: true }))])
  },
})

const importsPerMinute = 20

/** Reads the file only for those who may import it: a large one takes a while. */
async function readRows(limiter: CountCall, actor: Requester, body: unknown) {
  requireAllSites(actor)
  await limitActor(limiter, actor, { of: 'import', perMinute: importsPerMinute, otherwise: 'imports_too_many' })
  const { parseSiteRows } = await import('#domain/sites/site-csv.ts')
  return parseSiteRows(readUtf8(body as Buffer), maxRows)
}

/** Removes the byte order mark with which spreadsheets begin a file. */
function readUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DomainError('csv_not_utf8')
  }
}

function toWire(outcomes: RowOutcome[]): Static<typeof importSchema> {
  const countOf = (wanted: RowOutcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length
  return {
    added: countOf('added'),
    existing: countOf('exists'),
    refused: countOf('refused'),
    rows: outcomes.toSorted((a, b) => a.line - b.line).map(rowToWire),
  }
}

function rowToWire({ line, name, outcome, problem }: RowOutcome): Static<typeof rowSchema> {
  const { code = null, details = {} } = problem ?? {}
  const { column, value, line: otherLine, id, name: named } = details
  return {
    line,
    name,
    outcome,
    code,
    column: column === undefined ? null : String(column),
    value: code === 'controller_not_found' ? String(named) : value === undefined ? null : String(value),
    other_line: otherLine === undefined ? null : Number(otherLine),
    site: id === undefined ? null : { id: Number(id), name: String(named) },
  }
}
