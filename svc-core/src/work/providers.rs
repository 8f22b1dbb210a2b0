//! The outside systems that background work uses.

use std::fmt;
use std::sync::Arc;

use crate::mail::Notifier;
use crate::stamping::Stamper;
use crate::webhooks::Sender;

/// The outside systems that background work uses. If one is missing, its work is not done and its
/// backlog waits; without a stamper the documents of test companies are stamped all the same.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Providers {
    /// Stamps the invoices of all companies but test companies.
    pub stamper: Option<Arc<dyn Stamper>>,
    /// Delivers the webhooks of all companies.
    pub sender: Option<Arc<dyn Sender>>,
    /// Sends the e-mails of all companies.
    pub notifier: Option<Arc<dyn Notifier>>,
}

/// What can be given to [`Providers`]: a stamper, sender or notifier itself, one in an [`Arc`], or
/// an optional one.
pub trait Provider<P: ?Sized> {
    /// The provider, if there is one.
    fn provided(self) -> Option<Arc<P>>;
}

macro_rules! providers {
    ($($provider:ident),*) => {$(
        impl<P: $provider + 'static> Provider<dyn $provider> for P {
            fn provided(self) -> Option<Arc<dyn $provider>> {
                Some(Arc::new(self))
            }
        }

        impl<P: $provider + 'static> Provider<dyn $provider> for Arc<P> {
            fn provided(self) -> Option<Arc<dyn $provider>> {
                Some(self)
            }
        }

        impl Provider<dyn $provider> for Arc<dyn $provider> {
            fn provided(self) -> Option<Arc<dyn $provider>> {
                Some(self)
            }
        }

        impl Provider<dyn $provider> for Option<Arc<dyn $provider>> {
            fn provided(self) -> Option<Arc<dyn $provider>> {
                self
            }
        }
    )*};
}

providers!(Stamper, Sender, Notifier);

impl Providers {
    /// Sets the stamper; with `None` there is none.
    #[must_use]
    pub fn stamper(mut self, stamper: impl Provider<dyn Stamper>) -> Self {
        self.stamper = stamper.provided();
        self
    }

    /// Sets the sender of webhooks.
    #[must_use]
    pub fn sender(mut self, sender: impl Provider<dyn Sender>) -> Self {
        self.sender = sender.provided();
        self
    }

    /// Sets the sender of e-mails.
    #[must_use]
    pub fn notifier(mut self, notifier: impl Provider<dyn Notifier>) -> Self {
        self.notifier = notifier.provided();
        self
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers")
            .field("stamper", &self.stamper.is_some())
            .field("sender", &self.sender.is_some())
            .field("notifier", &self.notifier.is_some())
            .finish()
    }
}
