"""The folders in which the shared parts of these tests are."""

import sys

from relationd import ROOT

# The clean roots are those of the tests of packages.
sys.path.insert(0, str(ROOT / "Tests" / "Packages"))
