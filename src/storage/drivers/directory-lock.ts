export interface DirectoryLock {
  readonly dir: string;
}
