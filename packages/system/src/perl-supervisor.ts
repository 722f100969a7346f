/**
 * The supervisor for perl. It loads no modules, which would dominate the start time. Signals are taken one at a time by
 * rt_sigtimedwait, because a perl handler could miss one that arrives directly before a wait.
 */
export const perlSupervisor = String.raw`
my ($prctl, $mask, $wait, $setsid, $read, $parent, $limit, $lingers, $reports) =
  map { $_ + 0 } splice @ARGV, 0, 9;
my $kept = shift @ARGV;
my ($HUP, $INT, $QUIT, $KILL, $USR1, $USR2, $TERM, $CHLD, $STOP) = (1, 2, 3, 9, 10, 12, 15, 17, 19);
my $title = 'landline supervisor';

sub refuse { syswrite STDERR, "$title: $_[0]: $!\n"; exit 125 }
sub signals { my $bits = 0; $bits |= 1 << ($_ - 1) for @_; pack 'Q', $bits }

length(pack 'l!', 0) == 8 or refuse('not a perl of 64 bits');
syscall($prctl, 36, 1, 0, 0, 0) == 0 or refuse('PR_SET_CHILD_SUBREAPER');
syscall($prctl, 1, $USR2, 0, 0, 0) == 0 or refuse('PR_SET_PDEATHSIG');
getppid == $parent or exit 125;
-r "/proc/$$/stat" or refuse('/proc');

# Constants that perl folds are read-only, and syscall takes none of them.
my ($before, $every) = (signals(), signals(1 .. 64));
syscall($mask, 2, $every, $before, 8) == 0 or refuse('rt_sigprocmask');

sub await_briefly {
  my ($awaited, $nanoseconds) = @_;
  my $time = pack 'qq', 0, $nanoseconds;
  return syscall($wait, $awaited, 0, $time, 8);
}

my $tty = -t STDIN;
if ($tty) {
  ioctl STDIN, 0x5422, 0;
  await_briefly(signals($HUP), 0);
}
my $report;
if ($reports) { open $report, '>&=', 3 or refuse('report') }
pipe my $failure, my $failing or refuse('pipe');
my $self = $$;
my $pid = fork;
defined $pid or refuse('fork');
if ($pid == 0) {
  syscall($setsid);
  ioctl STDIN, 0x540E, 0 if $tty;
  syscall($prctl, 1, $KILL, 0, 0, 0);
  exit 125 if getppid != $self;
  delete $ENV{PERL_BADLANG};
  for my $name (keys %ENV) {
    $ENV{substr $name, length $kept} = delete $ENV{$name} if index($name, $kept) == 0;
  }
  syscall($mask, 2, $before, 0, 8);
  exec { $ARGV[0] } @ARGV;
  if ($reports) { syswrite $failing, $! + 0; exit 127 }
  syswrite STDERR, "$ARGV[0]: $!\r\n";
  exit 1;
}
close $failing;
open STDIN, '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
chdir '/';

# Neither the mark in the environment nor the program's command line must lead to this process.
sub blank {
  open my $stat, '<', "/proc/$$/stat" or return;
  my ($from, $to) = (split ' ', (<$stat> =~ /\) (.*)/s)[0])[47, 48];
  $0 = $title;
  open my $zero, '<', '/dev/zero' or return;
  syscall($read, fileno $zero, $from + 0, $to - $from) if $from;
}
blank();

my $errno = '';
sysread $failure, $errno, 16;
close $failure;
syswrite $report, $errno eq '' ? "started\n" : "failed $errno\n" if $report;
close $report if $report && !$lingers;

my ($status, $ending, %held);

sub reap {
  my $id;
  while (($id = waitpid -1, 1) > 0) {
    delete $held{$id};
    next if $id != $pid;
    $status = $?;
    syswrite $report, sprintf("exited %d %d\n", $status >> 8, $status & 127) if $report && $lingers;
  }
  return $id == 0;
}

sub uptime {
  open my $file, '<', '/proc/uptime' or return 0;
  return (split ' ', <$file>)[0];
}

sub row {
  open my $file, '<', "/proc/$_[0]/stat" or return;
  my $text = <$file>;
  return unless defined $text && $text =~ /\) (.*)/s;
  my @fields = split ' ', $1;
  return if $fields[0] =~ /[ZX]/ && $fields[17] < 2;
  return { parent => $fields[1], group => $fields[2], start => $fields[19] };
}

sub descendants {
  my (%rows, %children, %found);
  opendir my $folder, '/proc' or return \%found;
  for my $id (grep { /^\d+$/ } readdir $folder) {
    my $row = row($id) or next;
    $rows{$id} = $row;
    push @{ $children{ $row->{parent} } }, $id;
  }
  my @parents = ($$);
  while (@parents) {
    for my $id (@{ delete $children{ shift @parents } || [] }) {
      $found{$id} = $rows{$id};
      push @parents, $id;
    }
  }
  return \%found;
}

# False when the system does not allow it, as for a program that runs as another user.
sub signal_one {
  my ($signal, $id, $row) = @_;
  my $now = row($id);
  return 1 unless $now && $now->{start} == $row->{start};
  return kill($signal, $id) || $! != 1;
}

sub in_group {
  my $found = descendants();
  delete $found->{$_} for grep { $found->{$_}{group} != $pid } keys %$found;
  return $found;
}

# Orphans become children of this process. Their list is read much faster than they can start others, and
# until they are reaped their numbers are theirs.
sub hold_children {
  for (1 .. 100) {
    open my $file, '<', "/proc/$$/task/$$/children" or return;
    my @fresh = grep { !$held{$_}++ } split ' ', (<$file> // '');
    return unless @fresh;
    kill $STOP, @fresh;
  }
}

sub end_all {
  my $until = uptime() + $limit / 1000;
  my %stopped;
  while (reap()) {
    hold_children();
    my $found = descendants();
    my @fresh = grep { !$stopped{"$_ $found->{$_}{start}"}++ } keys %$found;
    my $late = uptime() >= $until;
    signal_one($STOP, $_, $found->{$_}) for @fresh;
    next if @fresh && !$late;
    # One that was just born may be in no list while its parent is already gone from it: then look again.
    my $sent = grep { signal_one($KILL, $_, $found->{$_}) } keys %$found;
    if ($late || %$found && !$sent) { reap(); last }
    await_briefly(signals($CHLD), 20_000_000);
  }
}

my $awaited = signals($HUP, $INT, $QUIT, $USR1, $USR2, $TERM, $CHLD);
while (1) {
  my $left = reap();
  if (defined $status) {
    last unless $left;
    if (!$lingers || $ending && !%{ in_group() }) { end_all(); last }
  }
  my $signal = syscall($wait, $awaited, 0, 0, 8);
  next if $signal < 0 || $signal == $CHLD;
  if ($signal == $USR2) { end_all(); last }
  $ending = 1 if $signal == $TERM;
  if (!defined $status) { kill $signal, -$pid; next }
  my $group = in_group();
  signal_one($signal, $_, $group->{$_}) for keys %$group;
}

$status = $KILL unless defined $status;
my $signal = $status & 127;
if ($signal) {
  syscall($prctl, 4, 0, 0, 0, 0);
  $SIG{FPE} = 'DEFAULT';
  kill $signal, $$;
  syscall($mask, 1, signals($signal), 0, 8);
}
exit $status >> 8;
`;
