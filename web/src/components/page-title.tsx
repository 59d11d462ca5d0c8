import { Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../hooks/use-layout.ts'
import { useScope } from '../sites.ts'

/**
 * The first line of a page: title on the left, actions on the right. Beside the rail, which has no room for the site,
 * the line also names the site.
 */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const { t } = useTranslation()
  const { site } = useScope()
  const layout = useLayout()
  useDocumentTitle(`${title} · ${t('app.name')}`)
  return (
    <Group justify="space-between" wrap="nowrap" mb={20} mih={36}>
      <Group gap="sm" align="baseline">
        <Title order={1}>{title}</Title>
        {layout === 'rail' && site && <Text c="dimmed">{site.name}</Text>}
      </Group>
      {children}
    </Group>
  )
}
