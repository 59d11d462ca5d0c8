import { Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { tellOtherTabs } from '../../other-tabs.ts'
import { CardPage } from '../card-page.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** The end of a sign-in in a window of its own. The page that opened the window continues. */
export function ClosingWindow() {
  const { t } = useTranslation()
  useEffect(() => {
    tellOtherTabs('changed')
    window.close()
  }, [])
  return (
    <CardPage title={t('provider.signed-in')}>
      <Text>{t('provider.close-window')}</Text>
    </CardPage>
  )
}
