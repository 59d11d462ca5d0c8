import { Type } from 'typebox'
import type { Database } from '#db/database.ts'
import { limitingActorId } from '#domain/actor.ts'
import {
  listMakerTotals,
  listSiteTotals,
  type MakerTotal,
  type OverviewScope,
  type Period,
  type SiteTotal,
} from '#domain/overview/issued.queries.ts'
import type { Language } from '../../server/preferred-language.ts'
import { languageSeparatorField } from '../kit/files/csv.ts'
import { exportCsv, tooManyExports } from '../kit/files/export-csv.ts'
import { createSpreadsheetFormat, languageField, type SpreadsheetFormat } from '../kit/files/spreadsheet.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { overviewFields } from './overview.ts'

const byField = Type.Optional(
  Type.Unsafe<'site' | 'maker'>({
    type: 'string',
    enum: ['site', 'maker'],
    default: 'site',
    description:
      '`site`: a row for each site, with the vouchers that were issued and redeemed. `maker`: a row for each person and key at each site.',
  }),
)

export const exportOverview = operation({
  method: 'GET',
  path: '/overview.csv',
  operationId: 'exportOverview',
  summary: 'Download how many vouchers each site, person and key issued, as CSV for a spreadsheet',
  role: 'manager',
  status: 200,
  tooMany: tooManyExports,
  query: Type.Object(
    { ...overviewFields, by: byField, language: languageField, separator: languageSeparatorField },
    { additionalProperties: false },
  ),
  answer: Type.String(),
  csvFileName: () => 'overview.csv',
  handle({ exports, today }, call) {
    const { site_id, days = 30, by = 'site', language = call.language, separator } = call.query
    const scope = { onlySitesOf: limitingActorId(call.actor), siteId: site_id ?? null }
    const period = { today: today(call.now), days }
    const format = createSpreadsheetFormat(language)
    const table = (by === 'site' ? siteTable : makerTable)(language, format)
    const periodCells = [format.day(firstDayOf(period)), format.day(period.today)]
    return exportCsv(exports, call, {
      columns: [...table.columns, ...periodHeaders[language]],
      separator: separator ?? format.separator,
      async open(db, limit) {
        if (site_id !== undefined) await findAllowedSites(db, call.actor, [site_id])
        const keys = await table.list(db, scope, period, limit)
        return { keys, listRows: async (rows: Cells[]) => rows.map((row) => [...row, ...periodCells]) }
      },
    })
  },
})

const periodHeaders: Record<Language, string[]> = { en: ['From', 'Until'], de: ['Von', 'Bis'] }

function firstDayOf({ today, days }: Period): string {
  return new Date(Date.parse(today) - (days - 1) * 86_400_000).toISOString().slice(0, 10)
}

const siteHeaders: Record<Language, string[]> = {
  en: ['Site', 'Issued', 'Redeemed', 'Redeemed (%)'],
  de: ['Standort', 'Ausgegeben', 'Eingelöst', 'Eingelöst (%)'],
}

type Cells = (string | number | null)[]

function siteTable(language: Language, format: SpreadsheetFormat) {
  const toCells = ({ site, issued, redeemed }: SiteTotal): Cells => [
    site,
    issued,
    redeemed,
    issued > 0 ? format.number((100 * redeemed) / issued) : null,
  ]
  return {
    columns: siteHeaders[language],
    list: async (db: Database, scope: OverviewScope, period: Period, limit: number) =>
      (await listSiteTotals(db, scope, period, limit)).map(toCells),
  }
}

const makerHeaders: Record<Language, string[]> = {
  en: ['Site', 'Created by', 'Kind', 'Issued'],
  de: ['Standort', 'Erstellt von', 'Art', 'Ausgegeben'],
}
const kinds: Record<Language, Record<MakerTotal['kind'], string>> = {
  en: { staff: 'Person', key: 'API key', controller: 'On the controller' },
  de: { staff: 'Person', key: 'API-Schlüssel', controller: 'Auf dem Controller' },
}

function makerTable(language: Language) {
  const toCells = ({ site, name, kind, issued }: MakerTotal): Cells => [site, name, kinds[language][kind], issued]
  return {
    columns: makerHeaders[language],
    list: async (db: Database, scope: OverviewScope, period: Period, limit: number) =>
      (await listMakerTotals(db, scope, period, limit)).map(toCells),
  }
}
