import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = { isDirty: boolean; isBusy: boolean; action: string; onCancel: () => void }

/** The last line of a form. It says whether something is not saved yet. */
export function SaveLine({ isDirty, isBusy, action, onCancel }: Props) {
  const { t } = useTranslation()
  return (
    <Group justify="flex-end" className="dialog-actions">
      <Text fz={13.5} c="var(--vs-warn-text)" style={{ flex: 1 }} role="status">
        {isDirty && t('settings.not-saved')}
      </Text>
      <Button variant="default" onClick={onCancel}>
        {t('actions.cancel')}
      </Button>
      <Button type="submit" loading={isBusy}>
        {action}
      </Button>
    </Group>
  )
}
