import { Group, Loader, Text } from '@mantine/core'
import { IconHelpCircle, IconHourglassHigh, IconPlugConnectedX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { useSeconds } from '../../clock.ts'
import { Notice } from '../notice.tsx'
import { RequestId } from '../state-pages.tsx'
import { clockWords } from '../voucher/voucher-words.ts'
import type { Creation, Problem } from './creation.ts'

type Props = {
  creation: Creation
  site: Site
  timeZone: string
  /** A sentence after the reason why no voucher was created. */
  hint?: string
}

const troubleTexts = { offline: 'desk.offline-since', unavailable: 'desk.unavailable-since' } as const

export function hasNote({ status: { kind } }: Creation): boolean {
  return kind === 'none' || kind === 'limited' || kind === 'unknown'
}

/** Shows why a creation made no voucher, or that its outcome is not known yet. */
export function OutcomeNote({ creation, site, timeZone, hint = '' }: Props) {
  const { t } = useTranslation()
  const { status, startedAt } = creation
  const now = useSeconds(status.kind === 'unknown' || status.kind === 'limited')
  if (status.kind === 'none')
    return <NoneNote creation={creation} problem={status.problem} {...{ site, timeZone, hint }} />
  if (status.kind === 'limited')
    return (
      <Note tone="warn" title={t('desk.limited')} Icon={IconHourglassHigh}>
        {t('desk.limited-text', { seconds: Math.max(0, Math.ceil((status.until - now) / 1000)) })}
      </Note>
    )
  if (status.kind !== 'unknown') return null
  if (status.trouble === 'refused')
    return (
      <Note tone="warn" title={t('desk.refused')} Icon={IconHelpCircle}>
        {t('desk.refused-text')}
      </Note>
    )
  const seconds = Math.max(0, Math.floor((now - startedAt) / 1000))
  return (
    <Note tone="warn" title={t('desk.unknown')} Icon={IconHelpCircle}>
      {status.wasLost && `${t('desk.lost')} `}
      {t('desk.unknown-text')}
      <Group gap="xs" mt={8} c="var(--mantine-color-text)" aria-hidden>
        <Loader size={16} color="var(--vs-warn)" />
        <Text fz={13} span>
          {t(status.trouble ? troubleTexts[status.trouble] : 'desk.asking-since', { seconds })}
        </Text>
      </Group>
    </Note>
  )
}

type NoneProps = Required<Props> & { problem: Problem }

function NoneNote({ creation, problem, site, timeZone, hint }: NoneProps) {
  const { t } = useTranslation()
  const reason = useReason(problem, creation, site, timeZone)
  return (
    <Note tone="bad" title={t('desk.none')} Icon={IconPlugConnectedX}>
      {[reason, hint].filter(Boolean).join(' ')}
      <RequestId id={problem.requestId} />
    </Note>
  )
}

/** Why nothing was made: a text of the desk if there is one, otherwise the message of the service. */
function useReason({ code, message, fields }: Problem, { request }: Creation, site: Site, timeZone: string): string {
  const { t } = useTranslation()
  const since = site.unreachable_since
  const [wasOut, setWasOut] = useState(since !== null)
  useEffect(() => {
    if (since !== null) setWasOut(true)
  }, [since])
  // The line below the form says until when. A message has limits of its own, which only the service knows.
  if (code === 'daily_limit_reached' && !request.message) return t('issued.none')
  if (code === 'controller_busy') return t('desk.controller-busy')
  if (code === 'controller_unreachable') {
    if (wasOut && since === null) return t('outage.try-again')
    return since
      ? t('desk.unreachable-since', { time: clockWords(new Date(since), timeZone) })
      : t('desk.controller-unreachable')
  }
  if (code === 'controller_refused') return t('desk.controller-refused')
  if (code === 'not_found') return t('desk.site-gone')
  if (code === 'role_missing') return t('errors.no-right-text')
  const text = fields.length > 0 ? fields.join('. ') : message
  return /[.!?]$/.test(text) || text === '' ? text : `${text}.`
}

type NoteProps = { tone: 'bad' | 'warn'; title: string; Icon: typeof IconHelpCircle; children: ReactNode }

function Note({ tone, title, Icon, children }: NoteProps) {
  return (
    <div style={{ marginTop: 24 }}>
      <Notice tone={tone} role="none" title={title} Icon={Icon}>
        {children}
      </Notice>
    </div>
  )
}
