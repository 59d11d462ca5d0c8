import { Anchor, Checkbox, Group, Input, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { SiteSelect } from '../../../components/site-select.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { durationWords, templateName, templateSentence } from '../../../components/voucher/voucher-words.ts'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { createTemplate, updateTemplate } from '../../../queries/templates.ts'
import { usePerson } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { SaveLine } from '../save-line.tsx'
import { formValuesOf, limitsOf, units } from './template-form.ts'

type Props = {
  /** Undefined: a new template is created. */
  template: Template | undefined
  onRemove: (template: Template) => void
  onClose: () => void
}

/** Creates or changes a template. The sentence below the fields is the one that the desk shows. */
export function TemplateDialog({ template, onRemove, onClose }: Props) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useTemplateForm(template, onClose)
  const limits = limitsOf(form.values)
  return (
    <Dialog
      onClose={onClose}
      title={template ? templateName(t, template) : t('settings.create-template')}
      isSticky={form.isDirty()}
    >
      <form {...element}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('person.name')}
            description={t('settings.automatic-name')}
            placeholder={limits.expire_minutes > 0 ? durationWords(t, limits.expire_minutes) : ''}
            {...form.getInputProps('name')}
          />
          {!template && <SiteField form={form} />}
          <Durations form={form} />
          <Devices form={form} />
          <Limits form={form} />
          <Text fz={13.5} p="sm" style={{ borderRadius: 8, background: 'var(--vs-nav)' }} aria-live="polite">
            {limits.expire_minutes > 0 && templateSentence(t, limits)}
          </Text>
          {error && <ErrorMessage error={error} />}
          <SaveLine
            isDirty={template !== undefined && form.isDirty()}
            isBusy={isSaving}
            action={t(template ? 'actions.save' : 'settings.create-template')}
            onCancel={onClose}
          />
          {template && !form.isDirty() && (
            <Group pt="md" style={{ borderTop: '1px solid var(--vs-line)' }}>
              <Anchor
                component="button"
                type="button"
                fz={13.5}
                c="var(--vs-bad-text)"
                onClick={() => onRemove(template)}
              >
                {t('settings.remove')}
              </Anchor>
            </Group>
          )}
        </Stack>
      </form>
    </Dialog>
  )
}

function useTemplateForm(template: Template | undefined, onClose: () => void) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const { site, sites } = useScope()
  const first = site ?? (role === 'admin' ? undefined : sites?.[0])
  return useSaveForm({
    initialValues: formValuesOf(template, first ? String(first.id) : role === 'admin' ? 'all' : ''),
    validateInputOnBlur: ['amount', 'devices'],
    validate: {
      site: isNotEmpty(t('desk.choose-site')),
      amount: (amount) => (Number(amount) > 0 ? null : t('desk.wrong-amount')),
      devices: (devices, { isAnyDevices }) =>
        isAnyDevices || Number(devices) > 0 ? null : t('settings.wrong-devices'),
    },
    toFields: (values) => ({
      name: values.name.trim(),
      site_id: values.site === 'all' ? null : Number(values.site),
      ...limitsOf(values),
    }),
    ...(template ? { update: updateTemplate(template.id) } : { create: createTemplate }),
    fields: {
      template_name_taken: 'name',
      display_name_invalid: 'name',
      expire_minutes: 'amount',
      max_uses: 'devices',
    },
    onSaved: (saved) => {
      const message = template ? t('actions.saved') : t('settings.created', { name: saved && templateName(t, saved) })
      notifications.show({ message })
      onClose()
    },
  })
}

type Form = ReturnType<typeof useTemplateForm>['form']

/** A template stays where it was created. Only administrators create templates for all sites. */
function SiteField({ form }: { form: Form }) {
  const { t } = useTranslation()
  const isAdmin = usePerson().role === 'admin'
  return (
    <SiteSelect
      label={t('settings.for-site')}
      allowDeselect={false}
      first={isAdmin ? [{ value: 'all', label: t('settings.all-sites') }] : []}
      {...form.getInputProps('site')}
    />
  )
}

function Durations({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <Input.Wrapper label={t('settings.valid')} labelElement="div" error={form.errors['amount']}>
      <Group gap="xs" wrap="nowrap">
        <NumberInput
          min={1}
          w={96}
          aria-label={t('desk.amount')}
          {...form.getInputProps('amount')}
          error={Boolean(form.errors['amount'])}
        />
        <Select
          aria-label={t('desk.unit')}
          allowDeselect={false}
          style={{ flex: 1 }}
          data={units.map((value) => ({ value, label: t(`settings.unit-${value}`) }))}
          {...form.getInputProps('unit')}
        />
      </Group>
    </Input.Wrapper>
  )
}

function Devices({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <Input.Wrapper label={t('desk.devices-label')} labelElement="div" error={form.errors['devices']}>
      <Group gap="md">
        <NumberInput
          min={1}
          w={96}
          max={9999}
          aria-label={t('desk.devices-label')}
          disabled={form.values.isAnyDevices}
          {...form.getInputProps('devices')}
          error={Boolean(form.errors['devices'])}
        />
        <Checkbox label={t('desk.any-number')} {...form.getInputProps('isAnyDevices', { type: 'checkbox' })} />
      </Group>
    </Input.Wrapper>
  )
}

function Limits({ form }: { form: Form }) {
  const { t } = useTranslation()
  const limit = { min: 0, allowDecimal: true, placeholder: t('desk.no-limit') }
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput {...limit} label={t('desk.down-label')} {...form.getInputProps('downMbps')} />
        <NumberInput {...limit} label={t('desk.up-label')} {...form.getInputProps('upMbps')} />
        <NumberInput {...limit} allowDecimal={false} label={t('desk.quota-label')} {...form.getInputProps('quotaMb')} />
      </Group>
      <NumberInput
        min={1}
        max={3650}
        label={t('settings.unused-days')}
        description={t('settings.unused-days-text')}
        placeholder={t('settings.never')}
        {...form.getInputProps('unusedDays')}
      />
    </>
  )
}
