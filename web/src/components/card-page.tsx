import { Anchor, Box, Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useHouse, usePageTitle } from '../house.ts'
import { changeLanguage, currentLanguage } from '../i18n/i18n.ts'
import classes from './card-page.module.css'
import { fitWithin, HouseLogo, Logo } from './logo.tsx'

declare const __VERSION__: string

/** A page with a single card in the middle, for pages before the sign-in. Languages and version are below the card. */
export function CardPage({ title, subtitle, children }: { title: string; subtitle?: string; children: ReactNode }) {
  const { t } = useTranslation()
  usePageTitle(title)
  const house = useHouse()
  return (
    <div className={classes.page}>
      <main className={classes.middle}>
        <Paper className={classes.card}>
          {house.logo ? <HouseLogo style={fitWithin('min(100%, 240px)', 72)} /> : <Logo size={40} />}
          <Title order={1} fz={24} lh="32px" mt={22}>
            {title}
          </Title>
          {house.name && <Text fw={500}>{house.name}</Text>}
          {subtitle && <Text c="dimmed">{subtitle}</Text>}
          <Box mt="lg">{children}</Box>
        </Paper>
      </main>
      <footer className={classes.foot}>
        <LanguageLinks />
        <Text fz={13.5} c="dimmed">
          {t('app.name')} {__VERSION__}
        </Text>
      </footer>
    </div>
  )
}

function LanguageLinks() {
  const { t } = useTranslation()
  return (
    <Group gap="md">
      {(['de', 'en'] as const).map((language) => {
        const isCurrent = currentLanguage() === language
        return (
          <Anchor
            key={language}
            component="button"
            lang={language}
            aria-current={isCurrent || undefined}
            fz={13.5}
            fw={isCurrent ? 500 : 400}
            c={isCurrent ? 'var(--mantine-color-text)' : 'dimmed'}
            onClick={() => changeLanguage(language)}
          >
            {t(`languages.${language}`)}
          </Anchor>
        )
      })}
    </Group>
  )
}
