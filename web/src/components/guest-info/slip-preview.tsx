import '../../print/print.css'
import { Paper as Frame, Group, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import { slipsOf } from '#slips/slip-parts.ts'
import type { GuestInfo } from '../../../../client/voucher-api.generated.ts'
import { useFileUrl } from '../../hooks/use-file-url.ts'
import { addTexts, currentLanguage } from '../../i18n/i18n.ts'
import type { Paper } from '../../print/sheet.tsx'
import { Slip, WifiQr } from '../../print/slip.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import type { GuestInfoValues } from './guest-info-values.ts'
import classes from './slip-preview.module.css'

addTexts({ de, en })

type Props = {
  siteName: string
  values: GuestInfoValues
  stored: GuestInfo
  /** Without it, the preview shows the voucher of an invented guest. */
  voucher?: SlipVoucher
}

/** The slip as it will be printed, with what is in the form now. Black on white in both themes. */
export function SlipPreview({ siteName, values, stored, voucher }: Props) {
  const { t } = useTranslation()
  const [paper, setPaper] = useState<Paper>('80mm')
  const logoUrl = useLogoUrl(values.logo, stored)
  const languages = values.guest_languages.length > 0 ? values.guest_languages : [currentLanguage()]
  const guestInfo = {
    wifi_name: values.wifi_name.trim() || null,
    wifi_password: values.hasPassword ? values.wifi_password : null,
    wifi_hidden: values.wifi_hidden,
    time_zone: values.time_zone || stored.time_zone,
    footer: values.footer.trim() || null,
    wifi_password_set: values.hasPassword,
    slip_lines: stored.slip_lines,
    slip_per_language: stored.slip_per_language,
  }
  const example: SlipVoucher = {
    id: 'preview',
    formatted_code: '48273-91056',
    name: t('guest-info.guest'),
    max_uses: 2,
    expire_minutes: 1440,
    valid_until: null,
    created_at: new Date(0).toISOString(),
  }
  const site = { name: siteName, guestInfo, house: stored.house?.name ?? null }
  const [parts = []] = slipsOf(voucher ?? example, site, languages.slice(0, maxSlipLanguages))
  return (
    <Frame component="section" withBorder radius="lg" className={classes.preview} aria-label={t('guest-info.preview')}>
      <Group justify="space-between" mb="md">
        <Text c="dimmed" fz={13.5}>
          {t('guest-info.preview')}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t('guest-info.paper')}
          data={(['80mm', 'a4'] as const).map((value) => ({ value, label: t(`guest-info.paper-${value}`) }))}
          value={paper}
          onChange={(value) => setPaper(value as Paper)}
        />
      </Group>
      <div className={classes.paper} data-paper={paper} aria-hidden>
        <WifiQr guestInfo={guestInfo}>
          {(qrId) => (
            <div className={paper === 'a4' ? 'vs-sheet' : 'vs-roll'}>
              <Slip parts={parts} logoUrl={logoUrl} qrId={qrId} isCard={paper === 'a4'} />
            </div>
          )}
        </WifiQr>
      </div>
    </Frame>
  )
}

/** The address of the chosen file, of the stored logo, or of the logo of the house. */
function useLogoUrl(logo: GuestInfoValues['logo'], { site_id, logo_updated_at, house }: GuestInfo): string | null {
  const chosen = useFileUrl(logo)
  const ofHouse = house?.logo?.url ?? null
  if (logo !== undefined) return chosen ?? ofHouse
  return logo_updated_at === null ? ofHouse : `/api/v2/sites/${site_id}/logo?${Date.parse(logo_updated_at)}`
}
