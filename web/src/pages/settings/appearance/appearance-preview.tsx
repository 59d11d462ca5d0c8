import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AccentColors, Appearance } from '../../../../../client/voucher-api.generated.ts'
import { Panel } from '../../../components/panel.tsx'
import { useFileUrl } from '../../../hooks/use-file-url.ts'
import { accentColorsQuery } from '../../../queries/appearance.ts'
import classes from './appearance.module.css'
import { type AppearanceValues, isColor, standardAccent } from './appearance-values.ts'

/** Says whether the colour can be read, and otherwise which one the app uses. */
export function AccentSentence({ color }: { color: string }) {
  const { t } = useTranslation()
  const { data } = useAccentColors(color)
  return (
    <Text fz={13} c="dimmed" mt={6} role="status">
      {data && sentenceOf(t, data)}
    </Text>
  )
}

function sentenceOf(t: TFunction, { accent_color: chosen, adjusted, light, dark }: AccentColors) {
  const colors = { chosen, light: light.button, dark: dark.button }
  if (adjusted) return t('appearance.accent-adjusted', colors)
  return dark.button === chosen ? t('appearance.accent-fits') : t('appearance.accent-lighter', colors)
}

/** The colours for what is typed, as soon as somebody stops typing. */
function useAccentColors(color: string) {
  const [settled] = useDebouncedValue(color, 150)
  return useQuery(accentColorsQuery(settled))
}

/** The head of a page, a button and a link, as light and dark pages will show them. */
export function AppearancePreview({ values, stored }: { values: AppearanceValues; stored: Appearance }) {
  const { t } = useTranslation()
  const color = isColor(values.accent_color) ? values.accent_color.toLowerCase() : standardAccent
  const { data: colors } = useAccentColors(color)
  const chosenLogo = useFileUrl(values.logo)
  const logo = values.logo === undefined ? stored.logo?.url : chosenLogo
  const name = values.name.trim() || t('app.name')
  return (
    <Panel title={t('appearance.preview')}>
      {(['light', 'dark'] as const).map((page) => (
        <div key={page}>
          <Text fz={13} c="dimmed" mb={6}>
            {t(`appearance.preview-${page}`)}
          </Text>
          <div className={classes.sample} data-page={page}>
            <div className={classes.head}>
              {logo && <img className={classes.logo} src={logo} alt="" />}
              <span className={classes.name}>{name}</span>
            </div>
            <div className={classes.acts}>
              <span className={classes.button} style={{ background: colors?.[page].button }}>
                {t('appearance.preview-button')}
              </span>
              <span className={classes.link} style={{ color: colors?.[page].text }}>
                {t('appearance.preview-link')}
              </span>
            </div>
          </div>
        </div>
      ))}
    </Panel>
  )
}
