import { Anchor, Button, Center, Code, Stack, Text, Title } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../api.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { Logo } from './logo.tsx'
import { Notice } from './notice.tsx'

/**
 * Replaces a page until it is known who is signed in. It appears after a delay, so that it does not flash for quick answers.
 */
export function LoadingPage() {
  const { t } = useTranslation()
  return (
    <Center mih="100dvh" p="md" bg="var(--vs-nav)" aria-busy className="late">
      <Stack align="center" gap="sm">
        <Logo size={40} />
        <Text c="dimmed" role="status">
          {t('app.loading')}
        </Text>
      </Stack>
    </Center>
  )
}

export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <PlainPage title={t('not-found.title')} text={t('not-found.text')}>
      <Button component="a" href="/">
        {t('actions.to-desk')}
      </Button>
    </PlainPage>
  )
}

/** Replaces the page after a failure: no answer, a missing right, or anything unforeseen. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation()
  const { title, text, requestId } = useErrorTexts(error)
  return (
    <PlainPage title={title} text={text} requestId={requestId}>
      <Button onClick={reset}>{t('actions.try-again')}</Button>
    </PlainPage>
  )
}

type MessageProps = {
  error: unknown
  onRetry?: () => void
  /** What failed, if the page can say it better than the error. */
  title?: string
}

/**
 * Shows a failure inside a page, if a part of the page could not be loaded or saved. It is empty if the person decided not to sign in
 * again: then the page stays as it was.
 */
export function ErrorMessage({ error, onRetry, title }: MessageProps) {
  const { t } = useTranslation()
  const texts = useErrorTexts(error)
  if (isCancelled(error)) return null
  const retry = onRetry && (
    <Button variant="default" onClick={onRetry}>
      {t('actions.try-again')}
    </Button>
  )
  return (
    <Notice tone="bad" title={title ?? texts.title} action={retry}>
      {texts.text}
      <RequestId id={texts.requestId} />
    </Notice>
  )
}

/** Whether the service wanted a new sign-in, and the person closed the dialog for it. */
export function isCancelled(error: unknown): boolean {
  return toApiError(error).error === 'sign_in_again'
}

type ErrorTexts = { title: string; text: string; requestId: string | null }

/** The title and the text that people read about a failure. */
export function useErrorTexts(error: unknown): ErrorTexts {
  const { t } = useTranslation()
  return errorTexts(t, error)
}

/** Like `useErrorTexts`, but outside a component, for example for a notification. */
export function errorTexts(t: TFunction, error: unknown): ErrorTexts {
  const { error: code, message, request_id: requestId } = toApiError(error)
  if (code === 'no_answer') return { title: t('errors.unreachable'), text: t('errors.unreachable-text'), requestId }
  if (code === 'session_ended' || code === 'unauthorized')
    return { title: t('errors.ended'), text: t('errors.ended-text'), requestId: null }
  if (code === 'role_missing') return { title: t('errors.no-right'), text: t('errors.no-right-text'), requestId }
  if (code === 'unexpected_answer') return { title: t('errors.failed'), text: t('errors.failed-text'), requestId }
  return { title: t('errors.failed'), text: message, requestId }
}

/** The id of a failed request, with a button that copies it for the person who reads the log. */
export function RequestId({ id }: { id: string | null }) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  if (id === null) return null
  return (
    <Text fz="xs" mt={2} c="dimmed">
      {t('errors.request')}{' '}
      <Code fz="xs" bg="transparent" p={0} style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Code>
      {' · '}
      <Anchor component="button" type="button" fz="xs" onClick={() => copy(id)}>
        {t(isCopied ? 'actions.copied' : 'errors.copy-request')}
      </Anchor>
    </Text>
  )
}

type PlainProps = { title: string; text: string; requestId?: string | null; children: ReactNode }

function PlainPage({ title, text, requestId = null, children }: PlainProps) {
  return (
    <Center mih="100dvh" p="md" bg="var(--vs-nav)">
      <Stack maw={400} align="flex-start">
        <Logo size={40} />
        <Title order={1}>{title}</Title>
        <Text c="dimmed">{text}</Text>
        <RequestId id={requestId} />
        {children}
      </Stack>
    </Center>
  )
}
