import type { Static, TObject } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { findTemplate } from '#domain/templates/templates.queries.ts'
import type { Wishes } from '#domain/vouchers/creation.ts'
import { upToTheEnd } from '#domain/vouchers/latest-end.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import type { wishFields } from './creation.schemas.ts'
import { Refused } from './problems.ts'
import { toTime } from './time.ts'

type Asked = Static<TObject<typeof wishFields>>
type Limits = Omit<VoucherShape, 'name'>

const otherwise = { maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** What was asked for, and where nothing was: what its template says, or else the usual. The site is known to be allowed. */
export async function readWishes(db: Queryable, asked: Asked): Promise<Wishes & { limits: Limits }> {
  const { site_id, reference = null, valid_until, qos = {} } = asked
  const validUntil = valid_until === undefined ? null : toTime('valid_until', valid_until)
  const usual = validUntil === null ? otherwise : { ...otherwise, expireMinutes: upToTheEnd }
  const base = asked.template_id === undefined ? usual : await limitsOf(db, site_id, asked.template_id)
  const limits = {
    maxUses: asked.max_uses ?? base.maxUses,
    expireMinutes: asked.expire_minutes ?? base.expireMinutes,
    downKbps: qos.down_kbps ?? base.downKbps,
    upKbps: qos.up_kbps ?? base.upKbps,
    quotaMb: qos.quota_mb ?? base.quotaMb,
  }
  return { limits, reference, validUntil }
}

async function limitsOf(db: Queryable, siteId: number, templateId: string): Promise<Limits> {
  const template = await findTemplate(db, templateId, siteId)
  if (!template) throw new Refused('parameter_invalid', 'template_id')
  return template
}

export function actorOf({ id, name, allSites }: KeyAtWork) {
  return { apiKeyId: id, allSites, source: `API: ${name}` }
}
