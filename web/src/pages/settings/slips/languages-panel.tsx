import { Button, CloseButton, Menu, Paper, SegmentedControl, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { guestLanguages } from '#slips/guest-languages.ts'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import { languageName } from '../../../formats.ts'
import type { SlipValues } from './slip-values.ts'
import classes from './slips.module.css'

type Props = { values: SlipValues; set: (changed: Partial<SlipValues>) => void }

/** The languages of a slip in their order. The first one is emphasised. */
export function LanguagesPanel({ values: { languages, perLanguage }, set }: Props) {
  const { t } = useTranslation()
  const others = guestLanguages.filter((language) => !languages.includes(language))
  return (
    <Paper component="section" withBorder radius="lg" p={20} bg="var(--vs-panel)">
      <Title order={2} mb={12}>
        {t('slips.languages')}
      </Title>
      <div className={classes.languages}>
        {languages.map((language, index) => (
          <span key={language} className={classes.language}>
            <span className={classes.number}>{index + 1}</span>
            {languageName(language)}
            <CloseButton
              size="sm"
              aria-label={t('slips.remove-language', { language: languageName(language) })}
              onClick={() => set({ languages: languages.filter((one) => one !== language) })}
            />
          </span>
        ))}
        {languages.length < maxSlipLanguages && (
          <Menu position="bottom-start">
            <Menu.Target>
              <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
                {t('slips.add-language')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
              {others.map((language) => (
                <Menu.Item key={language} onClick={() => set({ languages: [...languages, language] })}>
                  {languageName(language)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        <SegmentedControl
          className={classes.each ?? ''}
          aria-label={t('slips.how-many')}
          data={[
            { value: 'one', label: t('slips.one-slip') },
            { value: 'each', label: t('slips.one-each') },
          ]}
          value={perLanguage ? 'each' : 'one'}
          onChange={(value) => set({ perLanguage: value === 'each' })}
        />
      </div>
      {languages.length === 0 && (
        <Text fz={13} c="dimmed" mt={8}>
          {t('slips.no-language')}
        </Text>
      )}
    </Paper>
  )
}
