import { useTranslation } from 'react-i18next'
import { toApiError } from '../api.ts'
import { Notice } from './notice.tsx'
import { ErrorMessage } from './state-pages.tsx'

type Props = {
  error: unknown
  onRetry: () => void
  /** The texts for a file that would have too many lines. A retry does not help then. */
  tooLarge?: { title: string; text: string }
}

/** Says why a table was not saved as a file. Its own export may still run in another tab, so it offers to try again. */
export function ExportError({ error, onRetry, tooLarge }: Props) {
  const { t } = useTranslation()
  if (tooLarge && toApiError(error).error === 'export_too_large')
    return (
      <Notice tone="warn" role="alert" title={tooLarge.title}>
        {tooLarge.text}
      </Notice>
    )
  return <ErrorMessage error={error} title={t('errors.not-exported')} onRetry={onRetry} />
}
