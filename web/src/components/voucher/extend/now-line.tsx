import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

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
