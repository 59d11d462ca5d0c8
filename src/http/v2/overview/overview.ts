import { type Static, Type } from 'typebox'
import type { MessageFailure } from '#domain/messages/message.ts'
import type { ControllerDays } from '#domain/overview/controller-days.ts'
import { type Overview, readOverview } from '#domain/overview/read-overview.ts'
import { siteProblems, siteStates } from '#domain/sites/site-states.queries.ts'
import { mailCauses } from '#mail/mail.ts'
import { describeMailCause } from '../../errors/mail-causes.ts'
import type { Language } from '../../server/preferred-language.ts'
import { count, countOrNull, isoOrNull, publicId, siteNumber, textOrNull, time, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'

const uuid = Type.String({ format: 'uuid' })
const name = Type.String()
const day = Type.String({ format: 'date', examples: ['2026-11-15'] })
const others = (what: string) =>
  Type.Object({ count, issued: count }, { description: `All other ${what} together, so that the sum is right.` })

const problem = Type.Enum([...siteProblems])

const mailSchema = Type.Object(
  {
    failing_since: time,
    failure: Type.Unsafe<MessageFailure>({
      type: 'string',
      enum: ['not_set_up', ...mailCauses],
      examples: ['port_closed'],
      description: 'Why the message that began to fail last was not accepted. New values may be added.',
    }),
    message: Type.String({
      examples: ['Nothing listens on port 587 of smtp.provider.example.'],
      description: 'The failure and what to do, in the language of the request.',
    }),
    answer: { ...textOrNull, description: 'The last answer of the mail server, without addresses.' },
    waiting: { ...count, examples: [12], description: 'Number of all messages that wait, at most 50,000.' },
  },
  { title: 'FailingMailServer' },
)

const attentionSchema = Type.Object(
  {
    worker_running: Type.Boolean({
      description:
        'False if only `api` processes run. Then no site is synced, no stay ends and no notification is sent.',
    }),
    controllers: Type.Array(
      Type.Object({
        id: uuid,
        name,
        problem,
        since: timeOrNull,
        site_count: { ...count, description: 'Number of active sites of the person that cannot use the controller.' },
        site_id: { ...siteNumber, description: 'Number of a site that cannot use the controller.' },
        site: name,
      }),
    ),
    mail: Type.Union([mailSchema, Type.Null()], {
      description:
        'The mail server, if it has accepted no message for at least five minutes although the service tried. Only administrators see it.',
    }),
    webhooks: Type.Array(
      Type.Object({
        id: uuid,
        name,
        failing_since: timeOrNull,
        disabled_at: timeOrNull,
        disabled_reason: textOrNull,
        undelivered: {
          ...count,
          description: 'Number of deliveries that have not arrived since the webhook began to fail, at most 1,000.',
        },
      }),
    ),
    keys: Type.Array(
      Type.Object({
        id: uuid,
        name,
        limited: { ...count, description: 'Number of requests of today that were rejected because of the limit.' },
        expires_at: timeOrNull,
        last_used_at: timeOrNull,
      }),
      {
        description:
          'Keys that had more than ten requests rejected today because of their limit, and keys that expire within 14 days. Only administrators see them.',
      },
    ),
    batches: Type.Array(Type.Object({ id: Type.String(), site_id: siteNumber, site: name, held_up_since: time }), {
      description: 'Batches that wait for their controller.',
    }),
    unrecorded: Type.Array(Type.Object({ site_id: siteNumber, site: name, vouchers: count }), {
      description: 'Sites whose controller has vouchers that the record has lost.',
    }),
  },
  {
    title: 'Attention',
    description: 'Problems that somebody should look at: at most 50 of each kind, the longest or worst first.',
  },
)

const sitesSchema = Type.Object(
  {
    count: { ...count, description: 'Number of all sites of the person, active or not.' },
    busiest: Type.Array(Type.Object({ site_id: siteNumber, site: name, issued: count })),
    others: others('sites'),
    wall: Type.Array(
      Type.Object({
        site_id: siteNumber,
        site: name,
        state: Type.Enum([...siteStates]),
      }),
      { description: 'All sites by number. Empty if there are more than 1,000.' },
    ),
  },
  { title: 'OverviewSites' },
)

const siteSchema = Type.Object(
  {
    makers: Type.Array(
      Type.Object({
        kind: Type.Enum(['key', 'staff', 'controller'], {
          description: '`controller`: somebody created the vouchers on the controller itself.',
        }),
        id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
        name: textOrNull,
        issued: count,
      }),
    ),
    other_makers: others('makers'),
    controller: Type.Object({
      name,
      days: Type.Array(
        Type.Object({
          day,
          unreachable_seconds: { ...countOrNull, description: 'Null if the controller was not recorded yet.' },
        }),
        { description: 'The last 30 days, whatever `days` is.' },
      ),
      unreachable_seconds: count,
      observed_seconds: count,
      outages: count,
      reachable_since: { ...timeOrNull, description: 'Null while the controller is unreachable.' },
      synced_at: timeOrNull,
    }),
  },
  { title: 'OverviewSite' },
)

const overviewSchema = Type.Object(
  {
    today: day,
    time_zone: Type.String({ description: 'The time zone of the days.', examples: ['Europe/Berlin'] }),
    days: Type.Array(
      Type.Object({
        day,
        issued: count,
        redeemed: {
          ...count,
          description: 'Number of vouchers that were issued on this day and have been used since.',
        },
      }),
    ),
    totals: Type.Object({
      issued: count,
      redeemed: count,
      ending_within_24_h: { ...count, description: 'Number of vouchers whose minutes run out within 24 hours.' },
    }),
    attention: attentionSchema,
    sites: Type.Union([sitesSchema, Type.Null()], {
      description: 'The sites of the person. Null if `site_id` was given.',
    }),
    site: Type.Union([siteSchema, Type.Null()], { description: 'The site in `site_id`. Null without `site_id`.' }),
  },
  { title: 'Overview' },
)

/** The parameters of an overview and of its table: which site, and how many days. */
export const overviewFields = {
  site_id: Type.Optional({ ...siteNumber, description: 'Only this site. Without it: all sites of the person.' }),
  days: Type.Optional(
    Type.Unsafe<7 | 30 | 90>({
      type: 'integer',
      enum: [7, 30, 90],
      default: 30,
      description: 'The number of days to show, including today.',
    }),
  ),
}

/** Keys may not call it: it names webhooks, keys and controllers, and its content follows the page of the web app. */
export const getOverview = operation({
  method: 'GET',
  path: '/overview',
  operationId: 'getOverview',
  summary: 'Get the problems that need attention, and how many vouchers were issued and redeemed on each day',
  role: 'manager',
  status: 200,
  tooMany: 'the person loads the overview too many times at once',
  query: Type.Object(overviewFields, { additionalProperties: false }),
  answer: overviewSchema,
  handle: ({ overviews, today, fixedSettings }, { actor, now, language, query: { site_id, days = 30 } }) =>
    overviews.run(actor, async (db) => {
      if (site_id !== undefined) await findAllowedSites(db, actor, [site_id])
      const request = { actor, siteId: site_id ?? null, days, now }
      return toWire(await readOverview({ db, today, fixedSettings }, request), language)
    }),
})

function toWire(overview: Overview, language: Language): Static<typeof overviewSchema> {
  const { today, timeZone, issued, totals, attention, sites, site } = overview
  return {
    today,
    time_zone: timeZone,
    days: issued,
    totals: { issued: totals.issued, redeemed: totals.redeemed, ending_within_24_h: totals.endingSoon },
    attention: attentionToWire(attention, language),
    sites: sites && {
      count: sites.count,
      busiest: sites.busiest.map(({ id, name, issued }) => ({ site_id: id, site: name, issued })),
      others: sites.others,
      wall: sites.wall.map(({ id, name, state }) => ({ site_id: id, site: name, state })),
    },
    site: site && {
      makers: site.makers.named,
      other_makers: site.makers.others,
      controller: controllerToWire(site.controller as ControllerDays),
    },
  }
}

function attentionToWire(attention: Overview['attention'], language: Language): Static<typeof attentionSchema> {
  return {
    worker_running: attention.workerRunning,
    controllers: attention.controllers.map(({ since, sites, siteId, ...controller }) => ({
      ...controller,
      since: isoOrNull(since),
      site_count: sites,
      site_id: siteId,
    })),
    mail: attention.mail && mailToWire(attention.mail, language),
    webhooks: attention.webhooks.map(({ id, name, failingSince, disabledAt, disabledReason, undelivered }) => ({
      id,
      name,
      failing_since: isoOrNull(failingSince),
      disabled_at: isoOrNull(disabledAt),
      disabled_reason: disabledReason,
      undelivered,
    })),
    keys: attention.keys.map(({ id, name, limited, expiresAt, lastUsedAt }) => ({
      id,
      name,
      limited,
      expires_at: isoOrNull(expiresAt),
      last_used_at: isoOrNull(lastUsedAt),
    })),
    batches: attention.batches.map(({ siteId, id, site, stalledSince }) => ({
      id: publicId({ siteId, id }),
      site_id: siteId,
      site,
      held_up_since: stalledSince.toISOString(),
    })),
    unrecorded: attention.unrecorded.map(({ id, name, vouchers }) => ({ site_id: id, site: name, vouchers })),
  }
}

function mailToWire(
  { since, failure: last, answer, waiting, server }: NonNullable<Overview['attention']['mail']>,
  language: Language,
): Static<typeof mailSchema> {
  const failure = server ? last : 'not_set_up'
  const message = describeMailCause(failure, server ?? { host: '', port: 0 }, language)
  return { failing_since: since.toISOString(), failure, message, answer, waiting }
}

function controllerToWire(controller: ControllerDays) {
  return {
    name: controller.name,
    days: controller.days.map(({ day, unreachableSeconds }) => ({ day, unreachable_seconds: unreachableSeconds })),
    unreachable_seconds: controller.unreachableSeconds,
    observed_seconds: controller.observedSeconds,
    outages: controller.outages,
    reachable_since: isoOrNull(controller.reachableSince),
    synced_at: isoOrNull(controller.syncedAt),
  }
}
