import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { Site, SiteSettings } from '../../../../client/voucher-api.generated.ts'
import { checkIssuing, IssuingFields } from '../../components/issuing/issuing-fields.tsx'
import { issuingInputOf, issuingNames, toIssuing } from '../../components/issuing/issuing-input.ts'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { updateSite } from '../../queries/sites.ts'

/** How many vouchers a day the site issues at most, and how long one may last. Only administrators see it. */
export function IssuingPanel({ site, settings }: { site: Site; settings: SiteSettings }) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: issuingInputOf(settings),
    validate: checkIssuing(t),
    toFields: toIssuing,
    update: updateSite(site),
    fields: issuingNames,
    onSaved: (saved) => saved && notifications.show({ message: t('actions.saved') }),
  })
  return (
    <Panel title={t('issuing.title')}>
      <form {...element}>
        <IssuingFields form={form} />
        <Text c="dimmed" fz={13.5} mt="sm">
          {t('issuing.of-site')}
        </Text>
        {error && <ErrorMessage error={error} />}
        {form.isDirty() && (
          <Button type="submit" mt="md" variant="default" loading={isSaving}>
            {t('actions.save')}
          </Button>
        )}
      </form>
    </Panel>
  )
}
