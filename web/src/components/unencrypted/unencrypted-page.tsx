import { Anchor, Code, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { useSession } from '../../session.tsx'
import { CardPage } from '../card-page.tsx'
import { Notice } from '../notice.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** Replaces every form with a password if others could read it on the network. Says what an operator has to do. */
export function UnencryptedPage() {
  const { t } = useTranslation()
  const { public_url: publicUrl } = useSession()
  return (
    <CardPage title={t('unencrypted.title')} subtitle={location.host}>
      {publicUrl && publicUrl !== location.origin ? <OtherAddress publicUrl={publicUrl} /> : <TlsAdvice />}
    </CardPage>
  )
}

/** The service trusts only the address in PUBLIC_URL, not even localhost: a proxy may send that name for other machines. */
function OtherAddress({ publicUrl }: { publicUrl: string }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Notice tone="bad">{t('unencrypted.other-address')}</Notice>
      <Anchor href={publicUrl}>{publicUrl}</Anchor>
      <Text fz={13.5}>{t('unencrypted.public-url')}</Text>
    </Stack>
  )
}

function TlsAdvice() {
  const { t } = useTranslation()
  const { public_url: publicUrl } = useSession()
  const port = location.port || '8080'
  return (
    <Stack gap="sm">
      <Notice tone="bad">{t('unencrypted.why')}</Notice>
      <Text fz={13.5}>{t('unencrypted.proxy')}</Text>
      <Code block>{`caddy reverse-proxy \\\n  --from ${location.hostname} \\\n  --to 127.0.0.1:${port}`}</Code>
      <Text fz={13.5}>{t('unencrypted.setting')}</Text>
      <Code block>{`TRUSTED_PROXIES=127.0.0.1${publicUrl ? `\nPUBLIC_URL=https://${location.hostname}` : ''}`}</Code>
      {!publicUrl && (
        <Text fz={13.5} c="dimmed">
          {t('unencrypted.local', { address: `http://localhost:${port}` })}
        </Text>
      )}
    </Stack>
  )
}
