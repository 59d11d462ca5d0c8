import { Button, Checkbox, Group, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DialogActions } from '../../components/dialog.tsx'
import { SitesField } from '../../components/sites-field.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { checkInput, expiryChoices, type InputErrors, type KeyInput, localDay, scopes } from './key-input.ts'

type Props = {
  initial: KeyInput
  /** The scope of a key never changes, so only a new key has the field. */
  isNew: boolean
  submitLabel: string
  isBusy: boolean
  error: unknown
  onSubmit: (input: KeyInput) => void
  onCancel: () => void
}

export function KeyForm({ initial, isNew, submitLabel, isBusy, error, onSubmit, onCancel }: Props) {
  const { t } = useTranslation()
  const [input, setInput] = useState(initial)
  const [isChecked, setIsChecked] = useState(false)
  const submit = useFocusAfter(error)
  const errors: InputErrors = isChecked ? checkInput(input) : {}
  const set = (change: Partial<KeyInput>) => setInput((old) => ({ ...old, ...change }))
  const send = () => {
    setIsChecked(true)
    if (Object.keys(checkInput(input)).length === 0) onSubmit(input)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={t('keys-page.name')}
          description={t('keys-page.name-help')}
          value={input.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errors.name && t(errors.name)}
          maxLength={200}
          data-autofocus
        />
        {isNew && (
          <Radio.Group
            label={t('keys-page.scope')}
            value={input.scope}
            onChange={(scope) => set({ scope: scope as KeyInput['scope'] })}
          >
            <Stack gap={10} mt={6}>
              {scopes.map((scope) => (
                <Radio key={scope} value={scope} label={scope} description={t(`keys-page.scope-${scope}`)} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <SitesField
          label={t('keys-page.sites-title')}
          value={input.sites}
          onChange={(sites) => set({ sites })}
          canBeAll
          error={errors.sites && t(errors.sites)}
        />
        <LimitFields input={input} set={set} error={errors.limit && t(errors.limit)} />
        <ExpiryFields input={input} set={set} error={errors.expiry && t(errors.expiry)} />
        {error ? <ErrorMessage error={error} /> : null}
        <DialogActions onCancel={onCancel}>
          <Button ref={submit} type="submit" loading={isBusy}>
            {submitLabel}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}

type FieldProps = { input: KeyInput; set: (change: Partial<KeyInput>) => void; error: string | undefined }

function LimitFields({ input, set, error }: FieldProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      <NumberInput
        label={t('keys-page.limit')}
        description={t('keys-page.limit-help')}
        value={input.limit}
        onChange={(limit) => set({ limit: typeof limit === 'number' ? limit : '' })}
        disabled={input.isUnlimited}
        min={1}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=" "
        error={error}
        hideControls
        styles={{ wrapper: { maxWidth: 200 } }}
      />
      <Checkbox
        label={t('keys-page.no-limit')}
        checked={input.isUnlimited}
        onChange={(event) => set({ isUnlimited: event.currentTarget.checked })}
      />
    </Stack>
  )
}

function ExpiryFields({ input, set, error }: FieldProps) {
  const { t } = useTranslation()
  return (
    <Group align="flex-start" wrap="wrap" gap="sm">
      <Select
        label={t('keys-page.expires')}
        data={expiryChoices.map((choice) => ({ value: choice, label: t(`keys-page.expiry-${choice}`) }))}
        value={input.expiry}
        onChange={(expiry) => expiry && set({ expiry: expiry as KeyInput['expiry'] })}
        allowDeselect={false}
        error={input.expiry !== 'date' && error}
        style={{ flex: '1 1 200px' }}
      />
      {input.expiry === 'date' && (
        <TextInput
          type="date"
          label={t('keys-page.last-day')}
          value={input.date}
          min={localDay(new Date())}
          onChange={(event) => set({ date: event.currentTarget.value })}
          error={error}
          style={{ flex: '1 1 160px' }}
        />
      )}
    </Group>
  )
}
