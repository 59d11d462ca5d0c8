import '@mantine/notifications/styles.layer.css'
import { MantineThemeProvider, Notification } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'

/** The place of the short notices, such as "Saved". Those that came before this part was loaded appear with it. */
export function Notices() {
  const { t } = useTranslation()
  const closeButtonProps = { 'aria-label': t('actions.close') }
  return (
    <MantineThemeProvider
      inherit
      theme={{ components: { Notification: Notification.extend({ defaultProps: { closeButtonProps } }) } }}
    >
      <Notifications position="bottom-center" autoClose={3000} />
    </MantineThemeProvider>
  )
}
