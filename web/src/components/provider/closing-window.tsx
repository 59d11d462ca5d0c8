import { Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { tellOtherTabs } from '../../other-tabs.ts'
import { CardPage } from '../card-page.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { SignInProblem } from './sign-in-problem.tsx'

addTexts({ de, en })

/** The end of a sign-in in a window of its own. The page that opened the window continues, or says why the sign-in failed. */
export function ClosingWindow({ problem }: { problem: string | undefined }) {
  const { t } = useTranslation()
  useEffect(() => {
    tellOtherTabs(problem === undefined ? 'changed' : { problem })
    window.close()
  }, [problem])
  return (
    <CardPage title={t(problem === undefined ? 'provider.signed-in' : 'sign-in.title')}>
      <Stack gap={18}>
        {problem !== undefined && <SignInProblem problem={problem} />}
        <Text>{t('provider.close-window')}</Text>
      </Stack>
    </CardPage>
  )
}
