import { Anchor, Skeleton, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MySession } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { endMySession, endMySessions, mySessionsQuery } from '../../queries/my-account.ts'
import { useScopeZone } from '../../sites.ts'
import classes from './me.module.css'
import { RowsPanel } from './rows-panel.tsx'

/** The sessions of the person. Each other session can be ended, or all others together. */
export function SessionList() {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(mySessionsQuery)
  const end = useMutation(endMySession)
  const [isAsking, setIsAsking] = useState(false)
  const others = data?.sessions.filter(({ current }) => !current) ?? []
  const endOthers = others.length > 0 && (
    <Anchor component="button" fz={13.5} onClick={() => setIsAsking(true)}>
      {t('me.sign-out-others')}
    </Anchor>
  )
  const problem = error ?? end.error
  return (
    <RowsPanel title={t('me.sessions')} actions={endOthers}>
      {problem && (
        <div className={classes.body}>
          <ErrorMessage error={problem} {...(error && { onRetry: () => void refetch() })} />
        </div>
      )}
      {!data && !error && (
        <div className={classes.body}>
          <Skeleton height={20} />
        </div>
      )}
      <ul className={classes.rows}>
        {data?.sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
      {isAsking && <OthersDialog ids={others.map(({ id }) => id)} onClose={() => setIsAsking(false)} />}
    </RowsPanel>
  )
}

function SessionRow({ session, onEnd }: { session: MySession; onEnd: () => void }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { browser, address, current, last_seen_at } = session
  return (
    <li className={classes.session}>
      <Text fw={500}>{browser === '?' ? t('me.unknown-browser') : browser}</Text>
      <Text fz={13.5} c="dimmed">
        {address} · {current ? t('me.this-session') : <Moment at={last_seen_at} timeZone={timeZone} />}
        {!current && (
          <Anchor component="button" fz={13.5} ml={12} onClick={onEnd}>
            {t('me.end-session')}
          </Anchor>
        )}
      </Text>
    </li>
  )
}

function OthersDialog({ ids, onClose }: { ids: string[]; onClose: () => void }) {
  const { t } = useTranslation()
  const [ended] = useState(ids) // the list behind the dialog may change
  const end = useMutation({ ...endMySessions, onSuccess: onClose })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('me.sign-out-others')}
      action={t('me.end-sessions', { count: ended.length })}
      mutation={{ ...end, mutate: () => end.mutate(ended) }}
    >
      {t('me.others-text', { count: ended.length })}
    </ConfirmDialog>
  )
}
