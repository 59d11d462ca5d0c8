import { Anchor, Button, Skeleton } from '@mantine/core'
import { IconArrowLeft, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { pollEvery } from '../../queries/polling.ts'
import { webhooksQuery } from '../../queries/webhooks.ts'
import { AddWebhook } from './add-webhook.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { WebhookList } from './webhook-list.tsx'
import { WebhookPanel } from './webhook-panel.tsx'
import classes from './webhooks.module.css'

addTexts({ de, en })

/** List at the left, the chosen webhook at the right. On a phone these are two pages. */
export function WebhooksPage() {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const { webhook: chosenId } = useSearch({ from: '/shell/webhooks' })
  const navigate = useNavigate()
  const choose = (webhook: string | undefined) =>
    void navigate({ to: '/webhooks', search: ({ site }) => ({ site, ...(webhook && { webhook }) }) })
  const { data: webhooks, error, refetch } = useQuery({ ...webhooksQuery, refetchInterval: pollEvery(10_000) })
  const isLate = useDelayed(webhooks === undefined)
  const [isAdding, setIsAdding] = useState(false)
  const chosen = webhooks?.find(({ id }) => id === chosenId) ?? (isPhone ? undefined : webhooks?.[0])
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
      {t('webhooks.add')}
    </Button>
  )
  return (
    <>
      {isPhone && chosen && (
        <Anchor component="button" className={classes.back ?? ''} onClick={() => choose(undefined)}>
          <IconArrowLeft size={16} aria-hidden /> {t('webhooks.back')}
        </Anchor>
      )}
      {isPhone && chosen ? null : (
        <PageTitle title={t('webhooks.title')}>{webhooks && webhooks.length > 0 && addButton}</PageTitle>
      )}
      {error && !webhooks && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!webhooks && !error && <div aria-busy>{isLate && <Skeleton h={240} maw={272} />}</div>}
      {webhooks?.length === 0 && (
        <EmptyState title={t('webhooks.none-title')} text={t('webhooks.none-text')}>
          {addButton}
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <div className={classes.columns}>
          {!(isPhone && chosen) && <WebhookList webhooks={webhooks} chosenId={chosen?.id} onChoose={choose} />}
          {chosen && <WebhookPanel key={chosen.id} webhook={chosen} onRemoved={() => choose(undefined)} />}
        </div>
      )}
      {isAdding && <AddWebhook onClose={() => setIsAdding(false)} onAdded={({ id }) => choose(id)} />}
    </>
  )
}
