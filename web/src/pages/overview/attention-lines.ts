import {
  IconAlertTriangle,
  IconCertificate,
  IconFileAlert,
  IconKey,
  IconListDetails,
  IconLock,
  IconMailX,
  IconPlayerPause,
  IconPlugConnectedX,
  IconWebhook,
} from '@tabler/icons-react'
import { type LinkProps, linkOptions } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import type { Formats, Overview } from './overview-data.ts'

type Attention = Overview['attention']

export type AttentionLine = {
  key: string
  tone: 'bad' | 'warn'
  Icon: typeof IconKey
  title: string
  detail: string
  /** Undefined if no page of the web app helps. */
  action?: string
  /** Leads to the thing itself, or to the list if there are several. */
  link?: LinkProps
}

/** The largest number of things of one kind that get a line each. If there are more, they share one line. */
const linesOfAKind = 3

type Words = { t: TFunction; formats: Formats; isAdmin: boolean }

/** One line for each problem, the worst kind first. */
export function attentionLines({ t, formats, isAdmin }: Words, attention: Attention): AttentionLine[] {
  const { worker_running: isWorkerRunning, controllers, mail, webhooks, keys, batches, unrecorded } = attention
  return [
    ...(isWorkerRunning ? [] : [workerLine(t)]),
    ...controllerLines(t, formats, controllers, isAdmin),
    ...(mail ? [mailLine(t, formats, mail)] : []),
    ...webhookLines(t, formats, webhooks),
    ...batchLines(t, formats, batches),
    ...keyLines(t, formats, keys),
    ...unrecordedLines(t, formats, unrecorded),
  ]
}

function workerLine(t: TFunction): AttentionLine {
  return {
    key: 'worker',
    tone: 'bad',
    Icon: IconPlayerPause,
    title: t('overview.no-worker'),
    detail: t('overview.no-worker-text'),
  }
}

const problems = {
  unreachable: { tone: 'bad', Icon: IconPlugConnectedX },
  sign_in_refused: { tone: 'bad', Icon: IconLock },
  certificate: { tone: 'warn', Icon: IconCertificate },
  failing: { tone: 'warn', Icon: IconAlertTriangle },
} as const

/** A problem of a newer service is a failure. */
function knownProblem(problem: Attention['controllers'][number]['problem']): keyof typeof problems {
  return problem in problems ? problem : 'failing'
}

/** Controllers with the same problem share a line: "2 controllers unreachable · 6 sites · …". */
function controllerLines(
  t: TFunction,
  formats: Formats,
  controllers: Attention['controllers'],
  isAdmin: boolean,
): AttentionLine[] {
  return (['unreachable', 'sign_in_refused', 'certificate', 'failing'] as const).flatMap((problem) => {
    const failing = controllers.filter((each) => knownProblem(each.problem) === problem)
    const [first] = failing
    if (!first) return []
    const sites = failing.reduce((sum, { site_count }) => sum + site_count, 0)
    const names = failing.map(({ name, site, site_count, since }) => {
      const what = site_count === 1 ? site : name
      return since ? t('overview.since', { what, since: formats.since(since) }) : what
    })
    return {
      key: problem,
      ...problems[problem],
      title: t(`overview.controllers-${problem}`, { count: failing.length }),
      detail: `${t('overview.sites', { count: sites })} · ${shorten(t, names)}`,
      action: t(`overview.action-${problem}`),
      link:
        sites === 1
          ? siteLink(first.site_id)
          : failing.length === 1
            ? controllerLink(first.id, isAdmin)
            : linkOptions({ to: '/sites', search: { state: problem } }),
    }
  })
}

function siteLink(siteId: number): LinkProps {
  return linkOptions({ to: '/sites/$siteId', params: { siteId: String(siteId) } })
}

/** Managers have no page of a controller: they see its sites. */
function controllerLink(id: string, isAdmin: boolean): LinkProps {
  return isAdmin
    ? linkOptions({ to: '/sites/controllers/$controllerId', params: { controllerId: id } })
    : linkOptions({ to: '/sites', search: { controller: id } })
}

function mailLine(t: TFunction, formats: Formats, mail: NonNullable<Attention['mail']>): AttentionLine {
  const { failing_since, message, answer, waiting } = mail
  const wait = t('overview.messages-wait', { count: waiting, number: formats.number(waiting) })
  return {
    key: 'mail',
    tone: 'bad',
    Icon: IconMailX,
    title: t('overview.mail-fails', { since: formats.since(failing_since) }),
    detail: [wait, message, ...(answer === null ? [] : [t('overview.mail-answer', { answer })])].join(' '),
    action: t('overview.action-mail'),
    link: linkOptions({ to: '/settings', search: { tab: 'email' } }),
  }
}

function webhookLines(t: TFunction, formats: Formats, webhooks: Attention['webhooks']): AttentionLine[] {
  const common = { tone: 'warn', Icon: IconWebhook, action: t('overview.action-webhook') } as const
  if (webhooks.length > linesOfAKind) {
    const title = t('overview.webhooks-fail', { count: webhooks.length })
    return [
      {
        key: 'webhooks',
        ...common,
        link: linkOptions({ to: '/webhooks' }),
        title,
        detail: shorten(
          t,
          webhooks.map(({ name }) => name),
        ),
      },
    ]
  }
  return webhooks.map(({ id, name, failing_since, disabled_at, undelivered }) => ({
    key: id,
    ...common,
    link: linkOptions({ to: '/webhooks', search: { webhook: id } }),
    title: t(disabled_at ? 'overview.webhook-disabled' : 'overview.webhook-fails', { name }),
    detail: undeliveredWords(t, formats, undelivered, (failing_since ?? disabled_at) as string),
  }))
}

function undeliveredWords(t: TFunction, formats: Formats, count: number, time: string): string {
  const since = formats.since(time)
  return count === 0
    ? t('overview.only-since', { since })
    : t('overview.undelivered', { count, number: formats.number(count), since })
}

function batchLines(t: TFunction, formats: Formats, batches: Attention['batches']): AttentionLine[] {
  const [first] = batches
  if (!first) return []
  const names = batches.map(({ site, held_up_since }) =>
    t('overview.since', { what: site, since: formats.since(held_up_since) }),
  )
  return [
    {
      key: 'batches',
      tone: 'warn',
      Icon: IconListDetails,
      title: t('overview.batches-wait', { count: batches.length }),
      detail: shorten(t, names),
      action: t('overview.action-batch'),
      link: linkOptions({
        to: '/desk',
        search: { site: first.site_id, many: batches.length === 1 ? first.id : 'open' },
      }),
    },
  ]
}

function keyLines(t: TFunction, formats: Formats, keys: Attention['keys']): AttentionLine[] {
  const common = { tone: 'warn', Icon: IconKey } as const
  const limited = keys.filter((key) => key.limited > 0)
  const expiring = keys.filter(({ expires_at }) => expires_at && formats.daysUntil(expires_at) <= 14)
  const group = (
    key: string,
    title: string,
    some: typeof keys,
    each: (key: (typeof keys)[number]) => AttentionLine,
  ): AttentionLine[] =>
    some.length <= linesOfAKind
      ? some.map(each)
      : [
          {
            key,
            ...common,
            title,
            detail: shorten(
              t,
              some.map(({ name }) => name),
            ),
            action: t('overview.action-keys'),
            link: linkOptions({ to: '/keys' }),
          },
        ]
  return [
    ...group('limited', t('overview.keys-limited', { count: limited.length }), limited, ({ id, name, limited }) => ({
      key: `limited ${id}`,
      ...common,
      title: t('overview.key-limited', { name }),
      detail: t('overview.rejected-today', { count: limited, number: formats.number(limited) }),
      action: t('overview.action-limit'),
      link: keyLink(id),
    })),
    ...group('expiring', t('overview.keys-expire', { count: expiring.length }), expiring, (key) => ({
      key: `expiring ${key.id}`,
      ...common,
      title: t('overview.key-expires', { name: key.name, count: formats.daysUntil(key.expires_at as string) }),
      detail: key.last_used_at
        ? t('overview.last-used', { since: formats.since(key.last_used_at) })
        : t('overview.never-used'),
      action: t('overview.action-expiry'),
      link: keyLink(key.id),
    })),
  ]
}

function keyLink(id: string): LinkProps {
  return linkOptions({ to: '/keys', search: { key: id } })
}

function unrecordedLines(t: TFunction, formats: Formats, sites: Attention['unrecorded']): AttentionLine[] {
  const [first] = sites
  if (!first) return []
  const names = sites.map(({ site, vouchers }) => `${site} (${formats.number(vouchers)})`)
  return [
    {
      key: 'unrecorded',
      tone: 'warn',
      Icon: IconFileAlert,
      title: t('overview.unrecorded', { count: sites.length }),
      detail: shorten(t, names),
      action: t('overview.action-unrecorded'),
      link: sites.length === 1 ? siteLink(first.site_id) : linkOptions({ to: '/sites' }),
    },
  ]
}

/** The first three names, and how many others there are. */
function shorten(t: TFunction, names: string[]): string {
  const rest = names.length - 3
  const shown = names.slice(0, 3).join(', ')
  return rest > 0 ? t('overview.and-others', { names: shown, count: rest }) : shown
}
