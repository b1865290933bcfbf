#!/usr/bin/env bash
# Ends with the exit code of hotupdate plan, and says what it means.
#
#   verdict.sh CODE
set -euo pipefail

case $1 in
0) exit ;;
9) verdict='added or machines-added' ;;
10) verdict=hot-update ;;
11) verdict=in-place-update ;;
12) verdict=roll ;;
13) verdict=forbidden ;;
14) verdict='indeterminate: a verdict that fails this job can still come true' ;;
15) verdict='removed or renamed' ;;
16) verdict=machines-may-be-deleted ;;
17) verdict=all-machines-may-be-deleted ;;
18) verdict=machines-deleted ;;
*) verdict='not everything was judged' ;;
esac
echo "::error title=hotupdate plan::$verdict, see the summary of the job"
exit "$1"
