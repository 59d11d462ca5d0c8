import { type Static, Type } from 'typebox'
import { requireAllSites } from '#domain/actor.ts'
import { countVouchersToForget } from '#domain/record/vouchers-to-forget.queries.ts'
import {
  type GuestDataSettings,
  maxForgetDays,
  readGuestDataSettings,
  setGuestData,
  setSiteForgetting,
} from '#domain/settings/guest-data.ts'
import { changeBody, count, siteNumber, time } from '../kit/fields.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import { readSiteNumber, siteParams } from '../sites/sites.ts'

const daysOrNull = (description: string) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: maxForgetDays,
    examples: [90],
    description,
  })

const fields = {
  forget_after_days: daysOrNull(
    'Names, references and everything typed about a guest are erased this many days after the end of the voucher. Null: never.',
  ),
  unused_after_days: daysOrNull(
    'The days of an unused voucher without an end count from this many days after its creation, and it is revoked first. Null: such vouchers are left alone.',
  ),
  delete_on_controller: Type.Boolean({
    description:
      'Whether ended vouchers are deleted on the controller after the same time. Vouchers that this service did not create stay there.',
  }),
}

const daysOfSite = daysOrNull('The days of this site, instead of those of all sites. Null: never.')

const settingsSchema = Type.Object(
  {
    ...fields,
    exceptions: Type.Array(
      Type.Object({
        site_id: siteNumber,
        site: Type.String({ description: 'The name of the site.' }),
        forget_after_days: daysOfSite,
        changed_by: Type.String({ description: 'The name of the person or key that set it.' }),
        changed_at: time,
      }),
      { description: 'Sites with other days, by name.' },
    ),
    last_run: Type.Union([Type.Object({ at: time, vouchers: count }), Type.Null()], {
      description:
        'When the worker last had forgotten all guests that were due, and how many vouchers it was about. Null: not yet.',
    }),
  },
  { title: 'GuestDataSettings' },
)

const keyNote = 'An API key needs the right to all sites.'

export const getGuestDataSettings = operation({
  method: 'GET',
  path: '/settings/guest-data',
  operationId: 'getGuestDataSettings',
  summary: `Get after how many days guests are forgotten. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  answer: settingsSchema,
  async handle(ctx, { actor }) {
    requireAllSites(actor)
    return readAnswer(ctx)
  },
})

export const updateGuestDataSettings = operation({
  method: 'PATCH',
  path: '/settings/guest-data',
  operationId: 'updateGuestDataSettings',
  summary: `Change after how many days guests are forgotten. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  body: changeBody(
    {
      forget_after_days: Type.Optional(fields.forget_after_days),
      unused_after_days: Type.Optional(fields.unused_after_days),
      delete_on_controller: Type.Optional(fields.delete_on_controller),
    },
    { title: 'GuestDataChange', examples: [{ forget_after_days: 90 }] },
  ),
  answer: settingsSchema,
  async handle(ctx, { actor, body }) {
    await setGuestData(ctx.db, actor, {
      forgetAfterDays: body.forget_after_days,
      unusedAfterDays: body.unused_after_days,
      deleteOnController: body.delete_on_controller,
    })
    return readAnswer(ctx)
  },
})

export const updateSiteGuestData = operation({
  method: 'PUT',
  path: '/settings/guest-data/sites/{id}',
  operationId: 'updateSiteGuestData',
  summary: `Set other days for a site. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  params: siteParams,
  body: Type.Object(
    { forget_after_days: daysOfSite },
    { additionalProperties: false, title: 'SiteGuestData', examples: [{ forget_after_days: 7 }] },
  ),
  answer: settingsSchema,
  async handle(ctx, { actor, params, body }) {
    await setSiteForgetting(ctx.db, actor, readSiteNumber(params.id), body.forget_after_days)
    return readAnswer(ctx)
  },
})

export const deleteSiteGuestData = operation({
  method: 'DELETE',
  path: '/settings/guest-data/sites/{id}',
  operationId: 'deleteSiteGuestData',
  summary: `Use the days of all sites for a site again. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  recentSignIn: true,
  status: 204,
  params: siteParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await setSiteForgetting(db, actor, readSiteNumber(params.id), undefined)
  },
})

/** Counting this many vouchers takes a second. */
const maxCounted = 100_000

export const checkGuestData = operation({
  method: 'POST',
  path: '/settings/guest-data/preview',
  operationId: 'checkGuestData',
  summary: `Count what the next run would do with these values instead of the saved ones. Nothing changes. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  tooMany: 'the person or key asks for too many counts at once',
  body: Type.Object(
    {
      forget_after_days: Type.Optional(fields.forget_after_days),
      unused_after_days: Type.Optional(fields.unused_after_days),
      delete_on_controller: Type.Optional(fields.delete_on_controller),
      exceptions: Type.Optional(
        Type.Array(
          Type.Object({ site_id: siteNumber, forget_after_days: daysOfSite }, { additionalProperties: false }),
          { maxItems: 10_000, description: 'All sites with other days. Without it, the saved ones.' },
        ),
      ),
    },
    {
      additionalProperties: false,
      title: 'GuestDataPreview',
      description: 'Fields that are left out have their saved value.',
      examples: [{ forget_after_days: 30 }],
    },
  ),
  maxBodyKiB: 512,
  answer: Type.Object(
    {
      guests: { ...count, description: 'How many different names of a site would be erased.' },
      vouchers: { ...count, description: 'How many vouchers have these names.' },
      sites: { ...count, description: 'On how many sites.' },
      revoked: {
        ...count,
        description: 'How many unused vouchers without an end would be revoked. A later run erases their names.',
      },
      has_more: Type.Boolean({
        description: `True if counting stopped at ${maxCounted.toLocaleString('en')} vouchers.`,
      }),
    },
    { title: 'GuestDataCounts' },
  ),
  async handle(ctx, { actor, body }) {
    requireAllSites(actor)
    const saved = await readGuestDataSettings(ctx.db)
    const rules = {
      forgetAfterDays: body.forget_after_days === undefined ? saved.forgetAfterDays : body.forget_after_days,
      unusedAfterDays: body.unused_after_days === undefined ? saved.unusedAfterDays : body.unused_after_days,
      exceptions:
        body.exceptions?.map(({ site_id: siteId, forget_after_days: forgetAfterDays }) => ({
          siteId,
          forgetAfterDays,
        })) ?? saved.exceptions,
    }
    const { isMore, ...counts } = await ctx.overviews.run(actor, (db) => countVouchersToForget(db, rules, maxCounted))
    return { ...counts, has_more: isMore }
  },
})

async function readAnswer({ db }: Pick<V2Context, 'db'>): Promise<Static<typeof settingsSchema>> {
  return toWire(await readGuestDataSettings(db))
}

function toWire(settings: GuestDataSettings): Static<typeof settingsSchema> {
  const { lastRun } = settings
  return {
    forget_after_days: settings.forgetAfterDays,
    unused_after_days: settings.unusedAfterDays,
    delete_on_controller: settings.deleteOnController,
    exceptions: settings.exceptions.map(({ siteId, site, forgetAfterDays, changedBy, changedAt }) => ({
      site_id: siteId,
      site,
      forget_after_days: forgetAfterDays,
      changed_by: changedBy,
      changed_at: changedAt.toISOString(),
    })),
    last_run: lastRun && { at: lastRun.at.toISOString(), vouchers: lastRun.vouchers },
  }
}
