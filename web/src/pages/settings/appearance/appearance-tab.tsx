import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Appearance } from '../../../../../client/voucher-api.generated.ts'
import { LogoField } from '../../../components/guest-info/logo-field.tsx'
import { Panel } from '../../../components/panel.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { showAccent } from '../../../house.ts'
import { appearanceQuery, updateAppearance } from '../../../queries/appearance.ts'
import classes from './appearance.module.css'
import { AccentSentence, AppearancePreview } from './appearance-preview.tsx'
import { type AppearanceValues, isColor, standardAccent } from './appearance-values.ts'

type FormState = UseFormReturnType<AppearanceValues>

/** The name, the logo and the colour of the house, with a preview of light and dark pages. */
export function AppearanceTab() {
  const { data, error, refetch } = useQuery(appearanceQuery)
  if (data) return <AppearanceForm stored={data} />
  return error ? <ErrorMessage error={error} onRetry={() => void refetch()} /> : <Skeleton h={320} />
}

function AppearanceForm({ stored }: { stored: Appearance }) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: {
      name: stored.name ?? '',
      accent_color: stored.colors?.accent_color ?? '',
      logo: undefined,
    } as AppearanceValues,
    validate: { accent_color: (color) => (color === '' || isColor(color) ? null : t('appearance.accent-wrong')) },
    validateInputOnBlur: ['accent_color'],
    toFields: ({ name, accent_color: color, logo }) => ({
      name: name.trim() || null,
      accent_color: color.toLowerCase() || null,
      logo,
    }),
    update: updateAppearance,
    onSaved: (saved) => {
      if (saved) showAccent(saved.colors?.style ?? '')
      form.setFieldValue('logo', undefined)
      form.resetDirty({ ...form.getValues(), logo: undefined })
      notifications.show({ message: t('appearance.saved') })
    },
  })
  return (
    <form {...element} className={classes.page}>
      <Panel title={t('appearance.house')} text={t('appearance.house-text')}>
        <Stack gap={20}>
          <TextInput
            label={t('appearance.name')}
            description={fixedText(t, stored.set_by.name) ?? t('appearance.name-what')}
            autoComplete="off"
            maxLength={60}
            disabled={stored.set_by.name !== null}
            {...form.getInputProps('name')}
          />
          <LogoField
            description={t('appearance.logo-what')}
            value={form.values.logo}
            isStored={stored.logo !== null}
            onChange={(logo) => form.setFieldValue('logo', logo)}
          />
          <AccentField form={form} variable={stored.set_by.accent_color} />
          {error && <ErrorMessage error={error} />}
          <Group justify="flex-end" className="dialog-actions">
            <Text fz={13.5} c="var(--vs-warn-text)" style={{ flex: 1 }} role="status">
              {form.isDirty() && t('settings.not-saved')}
            </Text>
            <Button type="submit" loading={isSaving}>
              {t('appearance.save')}
            </Button>
          </Group>
        </Stack>
      </Panel>
      <AppearancePreview values={form.values} stored={stored} />
    </form>
  )
}

function fixedText(t: TFunction, variable: string | null): string | undefined {
  return variable === null ? undefined : t('appearance.set-by', { variable })
}

/** The colour as text, with the picker of the browser in front of it. */
function AccentField({ form, variable }: { form: FormState; variable: string | null }) {
  const { t } = useTranslation()
  const { accent_color: color } = form.values
  const shown = isColor(color) ? color.toLowerCase() : standardAccent
  return (
    <div>
      <TextInput
        label={t('appearance.accent')}
        description={fixedText(t, variable) ?? t('appearance.accent-what')}
        autoComplete="off"
        spellCheck={false}
        maxLength={7}
        styles={{ wrapper: { maxWidth: 320 } }}
        disabled={variable !== null}
        leftSectionWidth={48}
        leftSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={t('appearance.accent-pick')}
            disabled={variable !== null}
            value={shown}
            onChange={({ currentTarget }) => form.setFieldValue('accent_color', currentTarget.value)}
          />
        }
        {...form.getInputProps('accent_color')}
      />
      {isColor(color) && <AccentSentence color={color.toLowerCase()} />}
    </div>
  )
}
