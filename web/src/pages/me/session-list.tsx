import { Anchor, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MySession } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { DialogActions } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'

/** The sessions of the person. Each other session can be ended, or all sessions together. */
export function SessionList() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: ['my-sessions'], queryFn: () => api.listMySessions() })
  const end = useMutation({
    mutationFn: (id: string) => api.deleteMySession(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['my-sessions'] }),
  })
  const [isAsking, setIsAsking] = useState(false)
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={60} />
  return (
    <>
      <Stack gap={0}>
        {data.sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
        ))}
      </Stack>
      {end.error && <ErrorMessage error={end.error} />}
      <Group>
        <Anchor component="button" c="var(--vs-bad-text)" onClick={() => setIsAsking(true)}>
          {t('me.sign-out-everywhere')}
        </Anchor>
      </Group>
      <EverywhereDialog count={data.sessions.length} opened={isAsking} onClose={() => setIsAsking(false)} />
    </>
  )
}

function SessionRow({ session, onEnd }: { session: MySession; onEnd: () => void }) {
  const { t } = useTranslation()
  const { browser, address, current, last_seen_at } = session
  return (
    <Group justify="space-between" wrap="nowrap" mih={60} style={{ borderBottom: '1px solid var(--vs-line)' }}>
      <div>
        <Text fw={500}>{browser === '?' ? t('me.unknown-browser') : browser}</Text>
        <Text fz={13} c="dimmed">
          {address} · {current ? t('me.this-session') : <Moment at={last_seen_at} />}
        </Text>
      </div>
      {!current && (
        <Anchor component="button" fz="sm" onClick={onEnd}>
          {t('me.end-session')}
        </Anchor>
      )}
    </Group>
  )
}

function EverywhereDialog({ count, opened, onClose }: { count: number; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const leave = useMutation({
    mutationFn: () => api.deleteMySessions(),
    onSuccess: () => location.assign('/sign-in'),
  })
  const submit = useFocusAfter(leave.error)
  return (
    <Modal opened={opened} onClose={onClose} title={t('me.sign-out-everywhere')} withCloseButton={false}>
      <Stack>
        <Text>{t('me.everywhere-text', { count })}</Text>
        {leave.error && <ErrorMessage error={leave.error} />}
        <DialogActions onCancel={onClose}>
          <Button ref={submit} color="red" loading={leave.isPending} onClick={() => leave.mutate()}>
            {t('me.end-sessions', { count })}
          </Button>
        </DialogActions>
      </Stack>
    </Modal>
  )
}
