import type { ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ExportMenu } from '../../components/export-menu.tsx'
import type { ExportFormat } from '../../queries/vouchers.ts'

type Props = ButtonProps & { isBusy: boolean; onExport: (format: ExportFormat) => void }

/** Saves vouchers as a table for people or for programs. */
export function VoucherExport(props: Props) {
  const { t } = useTranslation()
  const kinds = (['spreadsheet', 'data'] as const).map((value) => ({ value, label: t(`vouchers.export-${value}`) }))
  return <ExportMenu label={t('vouchers.export')} kinds={kinds} {...props} />
}
