import { Anchor, Checkbox, Group, Input, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../../../api.ts'
import { changedFields } from '../../../changed-fields.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { usePerson } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { templateSentence } from '../../desk/words.ts'
import { SaveLine } from '../save-line.tsx'
import { formValuesOf, limitsOf, type TemplateValues, units } from './template-form.ts'

const wholeNumber = { min: 1, allowDecimal: false, allowNegative: false, hideControls: true } as const

type Props = {
  /** Undefined: a new template is created. */
  template: Template | undefined
  onRemove: (template: Template) => void
  onClose: () => void
}

/** Creates or changes a template. The sentence below the fields is the one that the desk shows. */
export function TemplateDialog({ template, onRemove, onClose }: Props) {
  const { t } = useTranslation()
  const form = useTemplateForm(template)
  const save = useSave(form, template, onClose)
  const limits = limitsOf(form.values)
  const isKnown = Object.keys(form.errors).length > 0
  return (
    <Dialog
      opened
      onClose={onClose}
      title={template ? template.name : t('settings.create-template')}
      isSticky={form.isDirty()}
    >
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <TextInput data-autofocus label={t('person.name')} {...form.getInputProps('name')} />
          {!template && <SiteField form={form} />}
          <Durations form={form} />
          <Devices form={form} />
          <Limits form={form} />
          <Text fz={13.5} p="sm" style={{ borderRadius: 8, background: 'var(--vs-nav)' }} aria-live="polite">
            {limits.expire_minutes > 0 && templateSentence(t, limits)}
          </Text>
          {save.error && !isKnown && <ErrorMessage error={save.error} />}
          <SaveLine
            isDirty={template !== undefined && form.isDirty()}
            isBusy={save.isPending}
            action={t(template ? 'settings.save' : 'settings.create-template')}
            failure={save.error}
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

function useTemplateForm(template: Template | undefined) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const { site, sites } = useScope()
  const first = site ?? (role === 'admin' ? undefined : sites?.[0])
  return useForm<TemplateValues>({
    initialValues: formValuesOf(template, first ? String(first.id) : role === 'admin' ? 'all' : ''),
    validateInputOnBlur: ['name', 'amount', 'devices'],
    clearInputErrorOnChange: true,
    validate: {
      name: isNotEmpty(t('first-run.name-missing')),
      site: isNotEmpty(t('desk.choose-site')),
      amount: (amount) => (Number(amount) > 0 ? null : t('desk.wrong-amount')),
      devices: (devices, { isAnyDevices }) =>
        isAnyDevices || Number(devices) > 0 ? null : t('settings.wrong-devices'),
    },
  })
}

type Form = ReturnType<typeof useTemplateForm>

function useSave(form: Form, template: Template | undefined, onClose: () => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (values: TemplateValues) => {
      const fieldsOf = (values: TemplateValues) => ({ name: values.name.trim(), ...limitsOf(values) })
      const fields = fieldsOf(values)
      if (!template)
        return api.createTemplate({ ...fields, site_id: values.site === 'all' ? null : Number(values.site) })
      const change = changedFields(fieldsOf(form.getInitialValues()), fields)
      return change ? api.updateTemplate(template.id, change) : template
    },
    onSuccess: ({ name }) => {
      notifications.show({ message: template ? t('settings.saved') : t('settings.created', { name }) })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
    onError: (error) => {
      const { error: code, message } = toApiError(error)
      if (code === 'template_name_taken' || code === 'display_name_invalid') form.setFieldError('name', message)
    },
  })
}

/** A template stays where it was created. Only administrators create templates for all sites. */
function SiteField({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { sites = [] } = useScope()
  const isAdmin = usePerson().role === 'admin'
  return (
    <Select
      label={t('settings.for-site')}
      searchable
      allowDeselect={false}
      limit={100}
      nothingFoundMessage={t('sites.none-found')}
      data={[
        ...(isAdmin ? [{ value: 'all', label: t('settings.all-sites') }] : []),
        ...sites.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
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
          {...wholeNumber}
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
          {...wholeNumber}
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
  const limit = { min: 0, allowNegative: false, hideControls: true, placeholder: t('desk.no-limit') }
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput {...limit} label={t('desk.down-label')} {...form.getInputProps('downMbps')} />
        <NumberInput {...limit} label={t('desk.up-label')} {...form.getInputProps('upMbps')} />
        <NumberInput {...limit} allowDecimal={false} label={t('desk.quota-label')} {...form.getInputProps('quotaMb')} />
      </Group>
      <NumberInput
        {...wholeNumber}
        max={3650}
        label={t('settings.unused-days')}
        description={t('settings.unused-days-text')}
        placeholder={t('settings.never')}
        {...form.getInputProps('unusedDays')}
      />
    </>
  )
}
