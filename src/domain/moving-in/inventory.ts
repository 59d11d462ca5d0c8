import type { DomainError } from '../errors.ts'
import type { Scope } from '../keys/key.ts'
import type { ImportedVoucher } from '../record/import-vouchers.queries.ts'
import type { NewSite } from '../sites/sites.queries.ts'
import type { TemplateRequest } from '../templates/administer-templates.ts'
import type { EventType } from '../webhooks/event-types.ts'

/** Where a row came from, for the report. */
export type SourceRow = { table: string; id: number }

/** A row that did not come over, or not completely. */
export type RowNote = SourceRow & { reason: string | DomainError }

/** `key`: the address and the account. `password` is null if nobody can read it. */
export type MovedController = {
  key: string
  address: string
  username: string
  password: string | null
}

/** The id stays, because the clients of the API use it. */
export type MovedSite = Omit<NewSite, 'controllerId'> & { id: number; controllerKey: string }

export type MovedKey = SourceRow & { name: string; prefix: string; sha256: Buffer; scope: Scope; rateLimit: number }

/** `siteIds` is undefined for all sites. */
export type MovedPerson = SourceRow & {
  name: string
  email: string
  role: 'admin' | 'desk'
  siteIds: number[] | undefined
  vouchersPerDay: number | null
}

export type MovedTemplate = SourceRow & Omit<TemplateRequest, 'siteId' | 'unusedDays'>

/** `isOurs`: the other system created it, so this service counts it as its own. Otherwise somebody created it on the controller. */
export type MovedVoucher = SourceRow &
  Omit<ImportedVoucher, 'apiKeyId' | 'staffId'> & {
    /** The site in the other system. It may have become another one here. */
    sourceSite: number
    isOurs: boolean
    /** The row of the person who created it. */
    personRow: number | null
  }

export type MovedWebhook = SourceRow & { name: string; format: string; url: string; events: EventType[] }

/** Everything that another system has and that this service can use. */
export type Inventory = {
  /** The name of the other system. Vouchers that no person created get a key with this name as their maker. */
  system: string
  controllers: MovedController[]
  sites: MovedSite[]
  keys: MovedKey[]
  people: MovedPerson[]
  templates: MovedTemplate[]
  webhook: MovedWebhook | undefined
  vouchers: MovedVoucher[]
}

/** Nothing was imported, because of these rows. */
export class MoveRefused extends Error {
  readonly rows: RowNote[]
  constructor(message: string, rows: RowNote[]) {
    super(message)
    this.rows = rows
  }
}
