import { QRCodeSVG } from 'qrcode.react'
import { useTranslation } from 'react-i18next'
import { type WifiFacts, wifiQrText } from '#slips/wifi-qr.ts'
import classes from './wifi-qr.module.css'

/** A QR code that connects a device to the guest Wi-Fi, dark on white in both themes. */
export function WifiQr({ guestInfo, size }: { guestInfo: WifiFacts; size: number }) {
  const { t } = useTranslation()
  const text = wifiQrText(guestInfo)
  if (text === null) return null
  return (
    <div className={classes.qr}>
      <QRCodeSVG
        value={text}
        size={size}
        level="M"
        bgColor="#ffffff"
        fgColor="#000000"
        title={t('desk.wifi-qr', { wifi: guestInfo.wifi_name })}
      />
    </div>
  )
}
