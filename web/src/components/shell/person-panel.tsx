import { Anchor, Divider, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { changeLanguage, currentLanguage } from '../../i18n/i18n.ts'
import { endSession, updateMe } from '../../queries/my-account.ts'
import { useMustSetUp, usePerson } from '../../session.tsx'
import { openShortcuts } from '../../shortcuts.ts'
import { ChoiceField } from '../choice-field.tsx'
import { showFailure } from '../show-failure.ts'
import { ErrorMessage } from '../state-pages.tsx'

/** Language, theme, account page and sign-out: a menu at the foot of the navigation, and *More* on a phone. */
export function PersonPanel({ onLeave, isPhone = false }: { onLeave: () => void; isPhone?: boolean }) {
  const { t } = useTranslation()
  const person = usePerson()
  const mustSetUp = useMustSetUp()
  const leave = useMutation(endSession)
  const padding = isPhone ? 12 : 2 // 44 px high, enough for a finger
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600}>{person.name}</Text>
        <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {person.email}
        </Text>
      </div>
      {!mustSetUp && <PreferenceControls />}
      <Divider color="var(--vs-line)" />
      {!mustSetUp && (
        <Anchor component={Link} to="/me" onClick={onLeave} fz="md" py={padding}>
          {t('person.own-page')}
        </Anchor>
      )}
      {!isPhone && !mustSetUp && (
        <Anchor
          component="button"
          ta="left"
          fz="md"
          onClick={() => {
            onLeave()
            openShortcuts()
          }}
        >
          {t('shortcuts.title')}
        </Anchor>
      )}
      <Anchor component="button" ta="left" fz="md" py={padding} onClick={() => leave.mutate()}>
        {t('person.sign-out')}
      </Anchor>
      {leave.error && <ErrorMessage error={leave.error} />}
    </Stack>
  )
}

/** Language and theme. A change is saved at once. */
export function PreferenceControls() {
  const { t } = useTranslation()
  const person = usePerson()
  const save = useMutation({
    ...updateMe,
    onError: (error) => showFailure(t, error),
  })
  return (
    <>
      <ChoiceField
        label={t('person.language')}
        value={currentLanguage()}
        data={(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) }))}
        onChange={(language) => {
          changeLanguage(language)
          save.mutate({ language })
        }}
      />
      <ChoiceField
        label={t('person.theme')}
        value={save.isPending ? (save.variables.theme ?? person.theme) : person.theme}
        data={(['light', 'dark', 'auto'] as const).map((value) => ({ value, label: t(`themes.${value}`) }))}
        onChange={(theme) => save.mutate({ theme })}
      />
    </>
  )
}
