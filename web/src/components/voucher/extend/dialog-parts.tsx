import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../../new-version.tsx'

/** Loaded once for both dialogs, so that the second one shows it at once. */
export const UntilPicker = lazyPart(async () => (await import('../until-picker.tsx')).UntilPicker)

/** "Now: until Wed 25 Nov, 11:00" */
export function NowLine({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Text>
      <Text span c="dimmed">
        {t('extend.now')}
      </Text>{' '}
      {children}
    </Text>
  )
}
