import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { Notice } from '../../components/notice.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { syncSite, useReloadSite } from '../../queries/sites.ts'

const lateAfterMs = 60_000

type SiteSync = { isRunning: boolean; isLate: boolean; error: unknown; start(): void }

/**
 * Syncs the site now. The worker does the sync, so this waits until the site shows a newer one. With `isDue` it starts
 * by itself: the test has succeeded, and the site still shows the old failure.
 */
export function useSiteSync(site: Site, { isDue = false } = {}): SiteSync {
  const { t } = useTranslation()
  const { reloadSite, reloadSites } = useReloadSite(site.id)
  /** Both this and `synced_at` are times of the service. The clock of the browser may differ. */
  const [requestedAt, setRequestedAt] = useState<string>()
  const [isLate, setIsLate] = useState(false)
  const { mutate, isPending, error } = useMutation({
    ...syncSite(site.id),
    onMutate: () => setIsLate(false),
    onSuccess: ({ requested_at }) => setRequestedAt(requested_at),
  })
  useEffect(() => {
    if (isDue) mutate()
  }, [isDue])
  const isDone = requestedAt !== undefined && site.synced_at !== null && site.synced_at >= requestedAt
  useEffect(() => {
    if (!isDone) return
    notifications.show({ message: t('sites-page.synced') })
    reloadSites()
    setRequestedAt(undefined)
    setIsLate(false)
  }, [isDone])
  const isWaiting = requestedAt !== undefined && !isDone && !isLate
  useEffect(() => {
    if (!isWaiting) return
    const poll = setInterval(reloadSite, 1_500)
    const giveUp = setTimeout(() => setIsLate(true), lateAfterMs)
    return () => {
      clearInterval(poll)
      clearTimeout(giveUp)
    }
  }, [isWaiting, requestedAt])
  return { isRunning: isPending || isWaiting, isLate, error, start: mutate }
}

export function SyncButton({ sync: { isRunning, start } }: { sync: SiteSync }) {
  const { t } = useTranslation()
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={isRunning}
      onClick={() => start()}
    >
      {t('sites-page.sync')}
    </Button>
  )
}

/** Says why the sync could not be requested, or that it is late. */
export function SyncProblem({ sync: { isRunning, isLate, error } }: { sync: SiteSync }) {
  const { t } = useTranslation()
  if (isRunning || !(error || isLate)) return null
  return (
    <div style={{ marginBottom: 20 }}>
      {error ? <ErrorMessage error={error} /> : <Notice tone="warn">{t('sites-page.sync-late')}</Notice>}
    </div>
  )
}
