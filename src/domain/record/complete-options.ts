import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'
import { findTemplate } from '../templates/templates.queries.ts'
import type { CreationOptions, Extendable } from './creation.ts'
import { untilValidUntil } from './voucher-shape.ts'

type Limits = Omit<VoucherShape, 'name'>

/**
 * The options of new vouchers as the client requested them. If an option is undefined, the value of the template applies, or
 * without a template the default.
 */
export type RequestedOptions = Omit<CreationOptions, 'unusedDays'> &
  Extendable & {
    templateId?: string | undefined
    limits: { [limit in keyof Limits]: number | undefined }
    unusedDays: number | null | undefined
  }

/** The options of new vouchers, completed. */
export type CompleteOptions = CreationOptions & Extendable & { limits: Limits }

type Defaults = Limits & Pick<CreationOptions, 'unusedDays'>

const defaults: Defaults = { maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }

/** Completes the requested options. The actor must have access to the site. */
export async function completeOptions(
  db: Queryable,
  siteId: number,
  { templateId, limits, unusedDays, ...options }: RequestedOptions,
): Promise<CompleteOptions> {
  const base = templateId === undefined ? defaultsFor(options) : await findTemplateLimits(db, siteId, templateId)
  return {
    ...options,
    limits: {
      maxUses: limits.maxUses ?? base.maxUses,
      expireMinutes: limits.expireMinutes ?? base.expireMinutes,
      downKbps: limits.downKbps ?? base.downKbps,
      upKbps: limits.upKbps ?? base.upKbps,
      quotaMb: limits.quotaMb ?? base.quotaMb,
    },
    unusedDays: unusedDays ?? base.unusedDays,
  }
}

function defaultsFor({ validUntil }: Pick<CreationOptions, 'validUntil'>): Defaults {
  return validUntil === null ? defaults : { ...defaults, expireMinutes: untilValidUntil }
}

async function findTemplateLimits(db: Queryable, siteId: number, templateId: string): Promise<Defaults> {
  const template = await findTemplate(db, templateId, siteId)
  if (!template) throw new DomainError('template_not_usable')
  return template
}
