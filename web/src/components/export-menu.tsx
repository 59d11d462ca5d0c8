import { Button, type ButtonProps, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'

type Props<Kind extends string> = ButtonProps & {
  label: string
  kinds: { value: Kind; label: string }[]
  isBusy: boolean
  onExport: (kind: Kind) => void
}

/** A button with a menu of the files that can be saved. */
export function ExportMenu<Kind extends string>({ label, kinds, isBusy, onExport, ...button }: Props<Kind>) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isBusy} {...button}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => onExport(value)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
